"""Facts of what a task spends on models, and of models that had to stand in."""

from dataclasses import dataclass

from agents.domain.fact import Event
from agents.domain.ids import PersonId


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetWarned(Event):
    budget: str
    limit: float
    spent: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelDegraded(Event):
    """Another model than the preferred one answered (M222)."""

    model: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetReached(Event):
    """A call would have gone over the budget, so it was not made."""

    job: str
    flow: str
    budget: str
    limit: float
    spent: float


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetRaised(Event):
    by: PersonId
    limit: float
    budget: str = ""  # its name; empty: the task's own
