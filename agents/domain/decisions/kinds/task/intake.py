"""Take on a request of somebody outside, or not. Planners never see their text until an approver accepts it."""

from enum import StrEnum

from agents.domain import events as e
from agents.domain.decisions.authority import APPROVERS, Kind, Requester, Rule
from agents.domain.decisions.kind import Chosen, DecisionKind, Facts, Moment, cancel
from agents.domain.task.task import Task


class IntakeOption(StrEnum):
    TAKE = "take"
    CANCEL = "cancel"


def apply(task: Task, subject: None, chosen: Chosen, moment: Moment) -> Facts:
    if chosen.option.value == IntakeOption.CANCEL:
        return cancel(task, chosen, moment)
    return [e.RequestVouched(task=task.id, at=moment.at, by=chosen.person)]


INTAKE: DecisionKind[None] = DecisionKind(
    name=Kind.INTAKE,
    rule=Rule(who=APPROVERS, requester=Requester.NEVER, reminders=2),
    apply=apply,
    options=IntakeOption,
    approves=frozenset({IntakeOption.TAKE}),
    needs_words=frozenset({IntakeOption.CANCEL}),
)
