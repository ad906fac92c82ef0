"""The approved merge did not fit: try it again, go on with it by hand, or cancel."""

from enum import StrEnum

from agents.domain import events as e
from agents.domain.decisions.authority import OWNERS, Kind, Rule
from agents.domain.decisions.kind import Chosen, DecisionKind, Facts, Moment, cancel, hand_over
from agents.domain.task.task import Task


class UnmergedOption(StrEnum):
    AGAIN = "again"
    LEAVE = "leave"
    CANCEL = "cancel"


def apply(task: Task, subject: None, chosen: Chosen, moment: Moment) -> Facts:
    match chosen.option.value:
        case UnmergedOption.CANCEL:
            return cancel(task, chosen, moment)
        case UnmergedOption.AGAIN:
            return [e.MergeApproved(task=task.id, at=moment.at, head=task.delivery.head, by=chosen.by)]
        case _:
            return hand_over(task, chosen, moment)


UNMERGED: DecisionKind[None] = DecisionKind(
    name=Kind.UNMERGED,
    rule=Rule(who=OWNERS, reminders=3, by_words=True),
    apply=apply,
    options=UnmergedOption,
    approves=frozenset({UnmergedOption.AGAIN}),
    needs_words=frozenset({UnmergedOption.CANCEL}),
)
