"""A budget is used up: raise it, or cancel."""

from enum import StrEnum
from math import ceil

from agents.domain import events as e
from agents.domain.decisions.authority import APPROVAL, STEERING, Kind
from agents.domain.decisions.decision import Option, with_letters
from agents.domain.decisions.kind import Chosen, DecisionKind, Facts, Moment, retry_jobs
from agents.domain.decisions.subject import OfBudget
from agents.domain.task.task import Task


class BudgetOption(StrEnum):
    CANCEL = "cancel"


RAISES = (1.5, 2, 4)  # by how much a limit can be raised
ROUNDING = 1e-6


def raises(limit: float, needed: float = 0.0) -> tuple[Option, ...]:
    """Each option but the last is a limit in dollars, in whole cents and with room for the call that is `needed`."""
    least = max(limit, needed / RAISES[0])
    limits = dict.fromkeys(ceil(least * factor * 100 - ROUNDING) / 100 for factor in RAISES)
    offered = (Option(value=f"{each:g}", approves=True) for each in limits)
    return with_letters(*offered, BUDGET.option(BudgetOption.CANCEL))


def apply_budget(task: Task, subject: OfBudget, chosen: Chosen, moment: Moment) -> Facts:
    limit = float(chosen.option.value)
    raised = e.BudgetRaised(task=task.id, at=moment.at, by=chosen.person, limit=limit, budget=subject.budget)
    return [raised, *retry_jobs(task, chosen, moment)]


BUDGET = DecisionKind(
    name=Kind.BUDGET,
    subject=OfBudget,
    rule=APPROVAL,
    apply=apply_budget,
    options=BudgetOption,
    wider={BudgetOption.CANCEL: STEERING},
)
