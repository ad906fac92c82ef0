"""What a model can do, as it is written, listed, or told by its server; and which roles that is enough for."""

from dataclasses import dataclass
from enum import StrEnum

THINKING = 8_000  # tokens beside the answer, for models that think before they write
ANSWER_SHARE = 4  # an answer may take this part of a window
LEAST_ANSWER = 256  # tokens
USED = 0.9  # tokenizers differ, so this much of the room is used
# Tokens of question and answer together. The rules and one question take some 4,000.
LEAST_WINDOW = 6_000
ROOMY = 16_000  # in which a role with tools can work
WITH_TOOLS = frozenset({"primary"})  # roles whose models must call tools


class Lack(StrEnum):
    """What keeps a model from serving a role."""

    ANSWER = "answer"  # it gave none when it was tried
    TAG = "tag"  # its answer was no JSON with the tag of the question
    TOOLS = "tools"
    WINDOW = "window"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ability:
    """0 and None: nobody knows."""

    window: int = 0  # tokens of question and answer together
    price: tuple[float, float] | None = None  # dollars a token, in and out, where its server says it
    at_once: int = 0  # calls that its server takes side by side
    tools: bool | None = None
    tagged: bool | None = None  # it gave one JSON answer with the tag of its question
    seconds: float = 0.0  # of that answer
    speed: float = 0.0  # tokens written in a second
    problem: str = ""  # why it could not be asked
    next_step: str = ""


def answer_room(window: int, wanted: int) -> int:
    """Tokens that an answer may have."""
    return max(LEAST_ANSWER, min(wanted, window // ANSWER_SHARE)) if window else wanted


def reading_room(window: int, answer: int) -> int:
    """Tokens that a question may have beside its answer; 0: as many as there are."""
    return max(1, int((window - answer) * USED)) if window else 0


def least_window(role: str) -> int:
    """Tokens that a model of this role must take."""
    return ROOMY if role in WITH_TOOLS else LEAST_WINDOW


def lacks_for(role: str, able: Ability) -> tuple[Lack, ...]:
    """What keeps a model from serving a role; nothing is held against it that nobody knows."""
    lacks = {
        Lack.ANSWER: bool(able.problem),
        Lack.TAG: able.tagged is False,
        Lack.TOOLS: role in WITH_TOOLS and able.tools is False,
        Lack.WINDOW: 0 < able.window < least_window(role),
    }
    return tuple(lack for lack, found in lacks.items() if found)
