"""A task that was stopped: resume it, go on with it by hand, or cancel it."""

from enum import StrEnum

from agents.domain.decisions.authority import STEERING, Kind
from agents.domain.decisions.kind import Chosen, DecisionKind, Follows, Moment, hand_over, resume
from agents.domain.task.task import Task


class StoppedOption(StrEnum):
    RESUME = "resume"
    HAND_OVER = "hand_over"  # once there is work
    CANCEL = "cancel"


def apply_stopped(task: Task, subject: None, chosen: Chosen, moment: Moment) -> Follows:
    match chosen.option.value:
        case StoppedOption.HAND_OVER:
            return hand_over(task, chosen, moment)
        case _:
            return resume(task, subject, chosen, moment)


STOPPED: DecisionKind[None] = DecisionKind(name=Kind.STOPPED, rule=STEERING, apply=apply_stopped, options=StoppedOption)
