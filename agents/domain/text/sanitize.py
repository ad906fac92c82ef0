"""What comes from outside, made harmless: text to show, numbers within bounds, JSON with each key once."""

import json
import math
import re
import unicodedata
from dataclasses import dataclass
from typing import Annotated, Any

_ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-_])")
_PLAIN = re.compile(r"[\t\n\x20-\x7e]*")  # most text by far, and a hundred times as fast to look at as to go through
_KEEP = frozenset("\n\t")
_JOINER = "\u200d"  # holds emoji families together; harmless inside them


def clean(text: str) -> str:
    """Strip terminal escapes, control and format characters; line ends become newlines."""
    if _PLAIN.fullmatch(text):
        return text
    text = _ESCAPES.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))
    return "".join(c for c in text if c in _KEEP or c == _JOINER or unicodedata.category(c) not in _UNSEEN)


def hidden_in(text: str) -> int:
    """How many characters a reader would not have seen."""
    return len(text.replace("\r\n", "\n")) - len(clean(text))


_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn"})


def cut(text: str, most: int) -> str:
    """At most so many characters, saying how many were left out."""
    if len(text) <= most:
        return text
    room = max(0, most - len(f"… ({len(text)} more characters)"))
    return f"{text[:room].rstrip()}… ({len(text) - room} more characters)"[:most]


def one_line(text: str, most: int = 120) -> str:
    """The first sentence or line, for a title."""
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 1].rstrip()}…"


MOST = 999_999_999  # fits into 32 bits, which is what PostgreSQL's integers have
EXACT = "exact"  # in the schema of an answer: see AnswerBound
LONGEST_WAIT = 86_400.0  # seconds


def first_words(text: str, most: int) -> str:
    """On one line, and no longer than so many words."""
    words = text.split()
    return " ".join(words) if len(words) <= most else f"{' '.join(words[:most])} …"


def small_number(written: str) -> int | None:
    """A plain whole number; None for anything else, and for one that no honest sender would write."""
    plain = written.isascii() and written.isdecimal() and len(written) <= len(str(MOST))
    return int(written) if plain else None


def count_of(told: object) -> int:
    """How many of something another program says there were."""
    return max(0, min(told, MOST)) if isinstance(told, int) else 0


def seconds_to_wait(told: object, otherwise: float) -> float:
    """For how long another program asks us to wait, at most a day; `otherwise` where it does not say."""
    try:
        seconds = float(told) if isinstance(told, str | int | float) else math.nan
    except (ValueError, OverflowError):
        seconds = math.nan
    return otherwise if math.isnan(seconds) else min(max(0.1, seconds), LONGEST_WAIT)


@dataclass(frozen=True, slots=True)
class Between:
    """Bounds of a number that people write, as in `Annotated[int, Between(1, 100)]`. Python would take true for 1."""

    least: float
    most: float
    write: str = "a number"

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        from pydantic_core import core_schema

        return core_schema.no_info_before_validator_function(
            self._refuse_flags, {**handler(source), "ge": self.least, "le": self.most}
        )

    def _refuse_flags(self, written: object) -> object:
        if isinstance(written, bool):
            raise ValueError(f"`{str(written).lower()}` is not a number. Write {self.write}.")
        return written


@dataclass(frozen=True, slots=True)
class AnswerBound:
    """How long a text or a list in a model's answer may be, or how large a number.

    Answers are read strictly. Facts are not, so one that was let in by other bounds, or made by code, still loads.
    """

    most: int
    least: int = 0
    exact: bool = False  # a text that is longer is refused and not cut, for a part of it would be another one

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        from pydantic_core import core_schema

        schema = handler(source)
        is_number = schema["type"] in ("int", "float")
        low, high = ("ge", "le") if is_number else ("min_length", "max_length")
        least = {low: self.least} if self.least or is_number else {}
        return core_schema.lax_or_strict_schema(schema, {**schema, high: self.most, **least})

    def __get_pydantic_json_schema__(self, schema: Any, handler: Any) -> Any:
        while "strict_schema" not in schema:  # `or_else` stands around it
            schema = schema["schema"]
        made = handler(schema["strict_schema"])
        return {**made, EXACT: True} if self.exact else made


def or_else(otherwise: Any) -> Any:
    """For a hint in a model's answer, as in `Annotated[int, or_else(0)]`: what cannot be read costs no second try."""
    return _OrElse(otherwise)


@dataclass(frozen=True, slots=True)
class _OrElse:
    otherwise: Any

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        """Read as it came: a list of JSON that went through Python first is no tuple any more to a strict reader."""
        from pydantic_core import core_schema

        return core_schema.with_default_schema(handler(source), default=self.otherwise, on_error="default")


# How much a model may say in one piece: enough for a few sentences, too little to flood a card or a prompt.
Line = Annotated[str, AnswerBound(600)]
Sentence = Annotated[str, AnswerBound(300)]
Name = Annotated[str, AnswerBound(250)]  # of a tag or a role
FileName = Annotated[str, AnswerBound(250, exact=True)]  # with its folders


def strictly(text: str) -> Any:
    """Raises ValueError or RecursionError."""
    return json.loads(text, object_pairs_hook=unique_keys, parse_constant=_no_constant)


def unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Of an object as it is read. Raises ValueError."""
    keys = [key for key, _ in pairs]
    if len(set(keys)) != len(keys):
        raise ValueError("a key appears twice")
    return dict(pairs)


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")
