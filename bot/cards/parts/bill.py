"""What a task has cost and how long it has taken, as cards say it."""

from dataclasses import dataclass
from datetime import timedelta

from agents.domain.task.task import Task
from bot.messages import Row


@dataclass(frozen=True, slots=True, kw_only=True)
class Bill:
    """Dollars: spent on one task so far, and what it may cost where that is configured."""

    spent: float = 0.0
    budget: float | None = None

    def limit(self, task: Task) -> float | None:
        """What a person raised it to counts before what is configured."""
        return self.budget if task.money.budget is None else task.money.budget


NO_BILL = Bill()


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
