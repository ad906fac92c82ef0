"""Take on a request of somebody outside, or not. Planners never see their text until an approver accepts it."""

from enum import StrEnum

from agents.domain import events as e
from agents.domain.decisions.authority import APPROVERS, Kind, Requester, Rule
from agents.domain.decisions.kind import Chosen, DecisionKind, Facts, Moment
from agents.domain.task.task import Task


class IntakeOption(StrEnum):
    TAKE = "take"
    CANCEL = "cancel"


def apply_intake(task: Task, subject: None, chosen: Chosen, moment: Moment) -> Facts:
    return [e.RequestVouched(task=task.id, at=moment.at, by=chosen.person)]


INTAKE: DecisionKind[None] = DecisionKind(
    name=Kind.INTAKE,
    rule=Rule(who=APPROVERS, requester=Requester.NEVER, reminders=2),
    apply=apply_intake,
    options=IntakeOption,
    approves=frozenset({IntakeOption.TAKE}),
)
