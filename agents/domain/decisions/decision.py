"""One durable pause for a person: what is asked, of whom, until when, and what came of it."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

from agents.domain.decisions.authority import Kind, Presser
from agents.domain.decisions.subject import Subject
from agents.domain.errors import PressRefused
from agents.domain.ids import DecisionId, PersonId, ProjectId, StreamId, TaskId, derived, fingerprint

NameOf = Callable[[PersonId], str]

SHORT = 45  # characters that a button shows whole, on a phone too
HOLD = "h"  # the letter of Pause clock / Hold; no option has it
# One character each, whatever the script, so that a token stays short: enough for a thousand projects.
LETTERS = "abcdefgijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789" + "".join(
    chr(0x4E00 + n) for n in range(1000)
)


class DecisionState(StrEnum):
    OPEN = "open"
    DECIDED = "decided"
    EXPIRED = "expired"
    SUPERSEDED = "superseded"
    WITHDRAWN = "withdrawn"


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerTo:
    """An option of another decision; without a letter: an answer in a person's own words."""

    decision: DecisionId
    letter: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """One way to decide. `value` is what the program reads; `label` is set only where people named the option."""

    value: str
    letter: str = ""
    label: str = ""
    needs_words: bool = False
    right: str = ""  # whoever may decide by the rule of this name may take it; empty: as the decision's own
    approves: bool = False  # this option grants; where several people are needed, it is the one that needs them
    answers: AnswerTo | None = None  # what some words may have meant


class Refusal(StrEnum):
    """Why a press or a command changes nothing; what people read about it is in `bot/cards/refusals.py`."""

    UNKNOWN = "unknown"  # no such decision is open
    NOT_OFFERED = "not_offered"
    NEEDS_WORDS = "needs_words"
    NO_CLOCK = "no_clock"
    VOTED = "voted"  # they count once
    CLOSED = "closed"
    MEANWHILE = "meanwhile"  # what some words answered was decided since
    MERGING = "merging"
    ENDED = "ended"
    ASKED = "asked"  # to cancel
    NOTHING = "nothing"  # offers this
    NO_APPROVAL = "no_approval"  # is waited for


@dataclass(frozen=True, slots=True, kw_only=True)
class Vote:
    by: PersonId
    option: str
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    id: DecisionId
    task: TaskId  # in whose thread it is asked
    project: ProjectId | None = None  # whose decision it is; None: the task's own
    kind: Kind
    options: tuple[Option, ...]
    question: str = ""
    evidence: tuple[str, ...] = ()
    subject: Subject | None = None  # the very thing that is decided on
    put_to: PersonId
    opened_at: datetime
    due: datetime | None = None  # when silence means something next
    default: str = ""  # letter of the option that silence takes
    reminders: int = 0
    held_by: PersonId | None = None
    held_because: str = ""  # what they wrote, where it may be the answer
    votes: tuple[Vote, ...] = ()
    state: DecisionState = DecisionState.OPEN
    outcome: str = ""  # letter
    words: str = ""
    decided_by: tuple[PersonId, ...] = ()
    closed_at: datetime | None = None

    @property
    def stream(self) -> StreamId:
        return self.project or self.task

    @property
    def fingerprint(self) -> str:
        options = [(option.letter, option.value, option.label, str(option.needs_words)) for option in self.options]
        shown = [part for option in options for part in option]
        return fingerprint(self.kind, self.question, repr(self.subject), *self.evidence, "|", *shown)

    def option(self, letter: str) -> Option:
        for option in self.options:
            if option.letter == letter:
                return option
        raise Refused(Refusal.NOT_OFFERED, decision=self)


class Refused(PressRefused):
    """A press or a command that changes nothing. `option`: the value of what was wanted."""

    def __init__(
        self, why: Refusal, *, task: TaskId | None = None, decision: Decision | None = None, option: str = ""
    ) -> None:
        super().__init__(why, next_step="")
        self.why, self.task, self.decision, self.option = why, task, decision, option


def decision_id(task: TaskId, kind: Kind, cause: str) -> DecisionId:
    """The same cause always gives the same id, so a replayed step opens nothing twice."""
    return DecisionId(derived("decision", task, kind, cause))


def lettered(*options: Option) -> tuple[Option, ...]:
    """Give each option its letter, in the order people will see them."""
    return tuple(replace(option, letter=letter) for letter, option in zip(LETTERS, options, strict=False))


def numbers(decision: Decision) -> dict[str, int]:
    """By letter: what is too long for a button is numbered in the text, and so is what stands beside it."""
    offered = [option for option in decision.options if option.label and not option.needs_words]
    if all(len(option.label) <= SHORT for option in offered):
        return {}
    return {option.letter: number for number, option in enumerate(offered, 1)}


def voters(decision: Decision, letter: str, presser: Presser) -> tuple[PersonId, ...]:
    """Everybody who has now chosen this option; a person counts once, whatever account they use."""
    others = tuple(v.by for v in decision.votes if v.option == letter and not presser.is_(v.by))
    return (*others, presser.person)


def has_voted(decision: Decision, letter: str, presser: Presser) -> bool:
    return any(v.option == letter and presser.is_(v.by) for v in decision.votes)
