"""The approved merge did not fit: try it again, go on with it by hand, or cancel."""

from enum import StrEnum

from agents.domain import events as e
from agents.domain.decisions.authority import TROUBLE, Kind
from agents.domain.decisions.kind import Chosen, DecisionKind, Facts, Moment, hand_over
from agents.domain.task.task import Task


class UnmergedOption(StrEnum):
    AGAIN = "again"
    LEAVE = "leave"
    CANCEL = "cancel"


def apply_unmerged(task: Task, subject: None, chosen: Chosen, moment: Moment) -> Facts:
    match chosen.option.value:
        case UnmergedOption.AGAIN:
            return [e.MergeApproved(task=task.id, at=moment.at, head=task.delivery.head, by=chosen.by)]
        case _:
            return hand_over(task, chosen, moment)


UNMERGED: DecisionKind[None] = DecisionKind(
    name=Kind.UNMERGED,
    rule=TROUBLE,
    apply=apply_unmerged,
    options=UnmergedOption,
    approves=frozenset({UnmergedOption.AGAIN}),
)
