"""Control questions: real ones with one planted fault. A model that lets too many of them pass is not believed."""

from collections.abc import Iterable
from dataclasses import dataclass

from agents.domain.fact import OnProject
from agents.domain.ids import fingerprint

LAST, MISSES = 10, 2  # of its last ten, so many misses and its verdicts count as none
MODELS = 20  # that a project remembers


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """How one model did, the latest last: whether it missed what was planted."""

    model: str
    missed: tuple[bool, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewerTried(OnProject):
    """A control question was answered. It stands on the project's stream alone: no card and no prompt shows it."""

    model: str
    question: str
    missed: bool


def is_drawn(every: int, *key: str) -> bool:
    """One in so many, and the same one when a step is replayed; 0: none."""
    return every > 0 and int(fingerprint("control", *key), 16) % every == 0


def remember_try(known: tuple[Tried, ...], model: str, *, missed: bool) -> tuple[Tried, ...]:
    before = next((each.missed for each in known if each.model == model), ())
    now = Tried(model=model, missed=(*before, missed)[-LAST:])
    return (*(each for each in known if each.model != model), now)[-MODELS:]


def misses_of(known: Iterable[Tried], model: str) -> int:
    return sum(sum(each.missed) for each in known if each.model == model)


def is_believed(known: Iterable[Tried], model: str) -> bool:
    return misses_of(known, model) < MISSES
