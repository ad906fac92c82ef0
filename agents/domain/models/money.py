"""What a task may spend on models: the facts of it, and what they come to."""

from dataclasses import dataclass, replace

from agents.domain.fact import Event, Fold
from agents.domain.ids import PersonId


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetWarned(Event):
    budget: str
    limit: float
    spent: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelDegraded(Event):
    """Another model than the preferred one answered."""

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


@dataclass(frozen=True, slots=True, kw_only=True)
class MoneyState:
    budget: float | None = None  # raised by a person, above the configured one
    raised: tuple[tuple[str, float], ...] = ()  # how far this task may go into the budgets it shares with others
    warned: tuple[str, ...] = ()  # budgets that people were warned of
    degraded: tuple[str, ...] = ()  # models that had to stand in for preferred ones


fold = Fold[MoneyState]()


@fold.on(BudgetWarned)
def _(money: MoneyState, fact: BudgetWarned) -> MoneyState:
    return replace(money, warned=(*money.warned, fact.budget))


@fold.on(BudgetRaised)
def _(money: MoneyState, fact: BudgetRaised) -> MoneyState:
    if not fact.budget:
        return replace(money, budget=fact.limit)
    others = tuple((name, most) for name, most in money.raised if name != fact.budget)
    return replace(money, raised=(*others, (fact.budget, fact.limit)))


@fold.on(ModelDegraded)
def _(money: MoneyState, fact: ModelDegraded) -> MoneyState:
    return replace(money, degraded=(*money.degraded, fact.model))
