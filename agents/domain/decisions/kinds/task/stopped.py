"""A task that was stopped: resume it, cancel it, or go on with it by hand."""

from enum import StrEnum

from agents.domain import events as e
from agents.domain.decisions.authority import STEERING, Kind
from agents.domain.decisions.kind import Chosen, DecisionKind, Facts, Moment, cancel, hand_over
from agents.domain.task.task import Task


class StoppedOption(StrEnum):
    RESUME = "resume"
    HAND_OVER = "hand_over"  # once there is work
    CANCEL = "cancel"


def apply(task: Task, subject: None, chosen: Chosen, moment: Moment) -> Facts:
    match chosen.option.value:
        case StoppedOption.CANCEL:
            return cancel(task, chosen, moment)
        case StoppedOption.HAND_OVER:
            return hand_over(task, chosen, moment)
        case _:
            return [e.TaskResumed(task=task.id, at=moment.at, by=chosen.person)]


STOPPED: DecisionKind[None] = DecisionKind(
    name=Kind.STOPPED,
    rule=STEERING,
    apply=apply,
    options=StoppedOption,
    needs_words=frozenset({StoppedOption.CANCEL}),
)
