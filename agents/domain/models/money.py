"""What may be spent on models: the facts of it, what they come to, and budgets.

A call reserves its worst case in the transaction that lets it through.
"""

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Annotated

from agents.domain.fact import Event, Fold
from agents.domain.ids import PersonId
from agents.domain.models.ability import Lack
from agents.domain.text.sanitize import Between


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
class ModelLacks(Event):
    """What is known to be missing in a role's model, before it is asked for anything."""

    role: str
    model: str
    lacks: tuple[Lack, ...]
    window: int = 0  # tokens that it takes


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelAskedAgain(Event):
    """An answer did not count, or none came, so a model is asked once more."""

    role: str
    question: str
    model: str
    time: int  # 2: for the second time
    fault: str  # a Fault
    why: str
    said: str = ""  # how the answer that did not count begins


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetReached(Event):
    """A call would have gone over the budget, so it was not made."""

    job: str
    flow: str
    budget: str
    limit: float
    spent: float
    wanted: float = 0.0  # what the call may have cost


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
    asked_again: ModelAskedAgain | None = None  # the last that was
    lacks: tuple[ModelLacks, ...] = ()


fold = Fold[MoneyState]()
fold.on(BudgetWarned)(lambda money, fact: replace(money, warned=(*money.warned, fact.budget)))
fold.on(ModelLacks)(lambda money, fact: replace(money, lacks=(*money.lacks, fact)))
fold.on(ModelAskedAgain)(lambda money, fact: replace(money, asked_again=fact))
fold.on(ModelDegraded)(lambda money, fact: replace(money, degraded=(*money.degraded, fact.model)))


@fold.on(BudgetRaised)
def _(money: MoneyState, fact: BudgetRaised) -> MoneyState:
    if not fact.budget:
        return replace(money, budget=fact.limit)
    others = tuple((name, most) for name, most in money.raised if name != fact.budget)
    return replace(money, raised=(*others, (fact.budget, fact.limit)))


WARN_AT = 0.8
Dollars = Annotated[float, Between(0, 1_000_000, "dollars, such as 5.0")]


class Spending(StrEnum):
    FINE = "fine"
    WARN = "warn"  # at 80 %: said once
    STOP = "stop"  # at 100 %: pause and ask


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """Dollars. No limit: always fine."""

    name: str  # "task T-1", "channel console:general", "day 2026-01-02"
    limit: float | None
    spent: float = 0.0
    reserved: float = 0.0

    def after(self, reserve: float) -> Spending:
        """How it stands if this much more is reserved."""
        if self.limit is None:
            return Spending.FINE
        total = self.spent + self.reserved + reserve
        if total > self.limit:
            return Spending.STOP
        return Spending.WARN if total >= WARN_AT * self.limit else Spending.FINE

    def worth_a_word(self, next_call: float) -> bool:
        """One more call of this size takes it over the mark. Where nothing was spent there is nothing to say."""
        return self.spent > 0 and self.after(next_call) is not Spending.FINE


@dataclass(frozen=True, slots=True, kw_only=True)
class Budgets:
    """What may be spent on one task, in one channel in a day, and on all in a day. None: as much as is needed."""

    task: Dollars | None = None
    channel: Dollars | None = None
    day: Dollars | None = None


def strictest(budgets: tuple[Budget, ...], reserve: float) -> tuple[Spending, Budget | None]:
    """The budget that is worst off, and how; the first of them where several are."""
    for wanted in (Spending.STOP, Spending.WARN):
        for budget in budgets:
            if budget.after(reserve) is wanted:
                return wanted, budget
    return Spending.FINE, None
