"""What a task may spend, as its facts leave it."""

from dataclasses import dataclass, replace

from agents.domain.fact import Fold
from agents.domain.models import facts as f


@dataclass(frozen=True, slots=True, kw_only=True)
class MoneyState:
    budget: float | None = None  # raised by a person, above the configured one
    raised: tuple[tuple[str, float], ...] = ()  # how far this task may go into the budgets it shares with others
    warned: tuple[str, ...] = ()  # budgets that people were warned of
    degraded: tuple[str, ...] = ()  # models that had to stand in for preferred ones


fold = Fold[MoneyState]()


@fold.on(f.BudgetWarned)
def _(money: MoneyState, fact: f.BudgetWarned) -> MoneyState:
    return replace(money, warned=(*money.warned, fact.budget))


@fold.on(f.BudgetRaised)
def _(money: MoneyState, fact: f.BudgetRaised) -> MoneyState:
    if not fact.budget:
        return replace(money, budget=fact.limit)
    others = tuple((name, most) for name, most in money.raised if name != fact.budget)
    return replace(money, raised=(*others, (fact.budget, fact.limit)))


@fold.on(f.ModelDegraded)
def _(money: MoneyState, fact: f.ModelDegraded) -> MoneyState:
    return replace(money, degraded=(*money.degraded, fact.model))
