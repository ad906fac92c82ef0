"""What reviewers of a plan find: an issue with its fix, the principle that it touches, and points for the work."""

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import BeforeValidator, WithJsonSchema

from agents.domain.text.sanitize import AnswerBound, Line

_ID = re.compile(r"\W*([a-z]+-?\d+)\b", re.I)


@dataclass(frozen=True, slots=True, kw_only=True)
class Principle:
    id: str
    title: str
    means: str = ""
    domains: frozenset[str] = frozenset()  # tags of plans that it is for; empty: for all


@dataclass(frozen=True, slots=True, kw_only=True)
class Citation:
    """What a verdict cites, as code found it; its title too, for principles may be written anew.

    Without an id it is in a reviewer's own words, as in facts of earlier versions.
    """

    id: str = ""
    title: str = ""

    def __str__(self) -> str:
        return " ".join(part for part in (self.id, self.title) if part)


def relevant(principles: Iterable[Principle], tags: Collection[str]) -> tuple[Principle, ...]:
    return tuple(each for each in principles if not each.domains or each.domains & set(tags))


def find_principle(cited: str, known: Sequence[Principle]) -> Principle | None:
    """By the id that it begins with, or by its title; None: nobody knows it."""
    found = _ID.match(cited)
    by_id = {each.id.casefold(): each for each in known}
    by_title = {each.title.casefold(): each for each in known}
    said = " ".join(cited.casefold().split()).rstrip(".")
    return by_id.get(found[1].casefold() if found else "") or by_title.get(said)


def from_words(field: str) -> BeforeValidator:
    """Facts of earlier versions hold a bare text there."""

    def read(stored: Any) -> Any:
        return {field: stored} if isinstance(stored, str) else stored

    return BeforeValidator(read)


UNCITED = Citation()
LONGEST = 250  # characters of a citation in an answer, where it is a text that is looked up
Cited = Annotated[Citation, from_words("title"), WithJsonSchema({"type": "string", "maxLength": LONGEST})]


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What is wrong with a plan, paired with how it could be set right."""

    what: Line
    fix: Line = ""
    subtask: Annotated[int, AnswerBound(60)] = 0  # 0: the whole plan
    principle: Cited = UNCITED

    def __str__(self) -> str:
        return f"{self.what} → {self.fix}" if self.fix else self.what


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    by: str  # critic, custodiet, or the name of a specialist
    what: str
    fix: str = ""
    subtask: int = 0  # that it is about; 0: any
