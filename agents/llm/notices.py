"""What people are told about a job's model calls: budgets that run low, models that stood in, guidance left out."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from agents.domain import events as e
from agents.domain.decisions.kind import Moment
from agents.domain.events import Event
from agents.domain.models.budget import Budget
from agents.domain.task.task import Task
from agents.ports import Spent


@dataclass(slots=True, kw_only=True)
class Notices:
    low: list[Budget] = field(default_factory=list)
    stood_in: dict[str, str] = field(default_factory=dict)  # which model, and why
    left_out: dict[str, str] = field(default_factory=dict)  # which file of the project's guidance, and why

    def add(self, spent: Spent) -> Spent:
        if spent.warned:
            self.low.append(spent.warned)
        if spent.degraded:
            self.stood_in[spent.model] = spent.degraded
        self.left_out |= dict(spent.left_out)
        return spent

    def facts(self, task: Task, moment: Moment) -> Sequence[Event]:
        """Each is said once a task."""
        if task.ended:
            return []
        stood_in = [
            e.ModelDegraded(task=task.id, at=moment.at, model=model, why=why)
            for model, why in self.stood_in.items()
            if model not in task.money.degraded
        ]
        left_out = [
            e.GuidanceLeftOut(task=task.id, at=moment.at, file=file, why=why)
            for file, why in self.left_out.items()
            if file not in dict(task.plan.guidance_left_out)
        ]
        return [*stood_in, *left_out] + [
            e.BudgetWarned(task=task.id, at=moment.at, budget=low.name, limit=low.limit or 0.0, spent=low.spent)
            for low in self.low
            if low.name not in task.money.warned
        ]
