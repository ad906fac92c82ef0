"""A budget is used up: raise it, or cancel. Each option but the last is a limit in dollars."""

from enum import StrEnum

from agents.domain import events as e
from agents.domain.decisions.authority import APPROVERS, STEERING, Kind, Requester, Rule
from agents.domain.decisions.decision import Option, lettered
from agents.domain.decisions.kind import Chosen, DecisionKind, Facts, Moment, cancel, retry_jobs
from agents.domain.decisions.subject import OfBudget
from agents.domain.task.task import Task

_RAISES = (1.5, 2, 4)  # by how much a limit can be raised


class BudgetOption(StrEnum):
    CANCEL = "cancel"


def raises(limit: float) -> tuple[Option, ...]:
    limits = (round(limit * factor, 2) for factor in _RAISES)
    offered = (Option(value=f"{each:g}", approves=True) for each in limits)
    return lettered(*offered, BUDGET.option(BudgetOption.CANCEL))


def apply(task: Task, subject: OfBudget, chosen: Chosen, moment: Moment) -> Facts:
    if chosen.option.value == BudgetOption.CANCEL:
        return cancel(task, chosen, moment)
    limit = float(chosen.option.value)
    raised = e.BudgetRaised(task=task.id, at=moment.at, by=chosen.person, limit=limit, budget=subject.budget)
    return [raised, *retry_jobs(task, chosen, moment)]


BUDGET = DecisionKind(
    name=Kind.BUDGET,
    subject=OfBudget,
    rule=Rule(who=APPROVERS, requester=Requester.UNLESS_CHANNEL_FORBIDS),
    apply=apply,
    options=BudgetOption,
    needs_words=frozenset({BudgetOption.CANCEL}),
    wider={BudgetOption.CANCEL: STEERING},
)
