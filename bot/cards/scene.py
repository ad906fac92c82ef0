"""What a card is made from: the task as it is now, who people are, what it cost, and the key it is posted under."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta

from agents.domain.decisions.decision import Decision, NameOf
from agents.domain.ids import Account, DecisionId, PersonId, Thread
from agents.domain.task.task import Task
from bot.cards.links import Ways
from bot.messages import Card, Row


@dataclass(frozen=True, slots=True, kw_only=True)
class Bill:
    """Dollars: spent on one task so far, and what it may cost where that is configured."""

    spent: float = 0.0
    budget: float | None = None

    def limit(self, task: Task) -> float | None:
        """What a person raised it to counts before what is configured."""
        return self.budget if task.money.budget is None else task.money.budget


NO_BILL = Bill()


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    task: Task
    decision: Callable[[DecisionId], Decision | None]
    name: NameOf
    accounts: Callable[[PersonId], tuple[Account, ...]]
    deciders: Callable[[Decision], tuple[Account, ...]] = lambda decision: ()  # who should be pinged to decide
    next_approver: Callable[[int], Account | None] = lambda number: None
    ways: Ways = field(default_factory=Ways)  # to what is too long for a card
    bill: Callable[[], Bill] = Bill  # summed up when a card asks for it
    shown: Callable[[str], Card | None] = lambda key: None  # what the message of this key shows, if there is one
    message: Callable[[str], str] = lambda key: ""  # the platform's id of the message of this key
    nobody: Callable[[Decision], str] = lambda decision: ""  # what to say when nobody is named who may decide


@dataclass(frozen=True, slots=True, kw_only=True)
class Posting:
    """A card and the key it goes under: the same key is the same message."""

    key: str
    card: Card
    thread: Thread | None = None  # None: the task's own


def rows_of(*pairs: tuple[str, str]) -> list[Row]:
    """A row for each label that has a value."""
    return [Row(label=label, value=value) for label, value in pairs if value]


def bill_rows(task: Task, bill: Bill) -> list[Row]:
    """As its facts leave it: a card is drawn again when something happens, so the time is that of the last change."""
    took = duration_in_words(task.changed_at - task.request.at)
    return [Row(label="Cost", value=_cost(task, bill)), Row(label="Time", value=f"{took} since it was asked for")]


def _cost(task: Task, bill: Bill) -> str:
    if task.plan.rehearsal:
        return "nothing, as this is a rehearsal"
    limit = bill.limit(task)
    of = f" of a budget of ${limit:.2f}" if limit is not None else ""
    return f"${bill.spent:.2f}{of}" if bill.spent or of else "nothing so far"


def duration_in_words(took: timedelta) -> str:
    minutes = round(took.total_seconds() / 60)
    if minutes < 1:
        return f"{max(0, took.total_seconds()):.0f} s"
    if minutes < 60:
        return f"{minutes} min"
    hours, left = divmod(minutes, 60)
    if hours < 48:
        return f"{hours} h {left} min" if left else f"{hours} h"
    return f"{hours // 24} days {hours % 24} h"
