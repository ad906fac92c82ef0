"""Which supervisors are due, by counters, urgency and occasion; and whether one finds anything new."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from agents.domain.knowledge.owners import Supervisor
from agents.domain.supervision.facts import Counter, Occasion, Supervision
from agents.domain.supervision.tuning import SupervisorSettings

FEW = 1 / 3  # of what is found: where no more of it is new, the findings converge

# On which occasions each of them is due, beside its interval. All are where it is urgent.
OCCASIONS: dict[Occasion, frozenset[Supervisor]] = {
    Occasion.INTERVAL: frozenset(),
    Occasion.PHASE: frozenset(Supervisor),
    Occasion.REPLAN: frozenset({Supervisor.DESIGN}),
    Occasion.ABORT: frozenset({Supervisor.DESIGN}),
    Occasion.URGENT: frozenset(Supervisor),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Watching:
    """What there is to know when something happens that supervisors count."""

    at: datetime
    cause: str
    settings: SupervisorSettings
    state: Supervision  # of the project


def due(
    state: Supervision, occasions: Iterable[Occasion], settings: SupervisorSettings
) -> tuple[tuple[Supervisor, ...], Occasion]:
    """Who is due, and why: urgency first, then the occasion, then the intervals."""
    here = [Occasion.URGENT] if state.is_urgent else [each for each in Occasion if each in set(occasions)]
    called = {supervisor for occasion in here for supervisor in OCCASIONS[occasion]}
    counted = {each for each in Supervisor if is_over(state, each, settings)}
    found = tuple(each for each in Supervisor if each in called | counted and settings.watches(each))
    return found, here[0] if called and here else Occasion.INTERVAL


def is_over(state: Supervision, supervisor: Supervisor, settings: SupervisorSettings) -> bool:
    """Whether as many subtasks were finished as its interval says."""
    interval, counter = settings.interval(supervisor), state.counter(supervisor)
    return 0 < interval * counter.factor <= counter.since


def is_converging(counter: Counter, found: Iterable[str]) -> bool:
    """Whether little of what it finds is new, compared with its run before; its first run is compared with nothing."""
    now = set(found)
    fresh = now - set(counter.found)
    return counter.ran > 0 and len(fresh) <= FEW * len(now)
