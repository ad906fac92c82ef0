"""The standing buttons of a status card. They steer the task (see `task/steering.py`), and are never decided."""

from enum import StrEnum

from agents.domain.decisions.authority import STEERING, Kind
from agents.domain.decisions.kind import Chosen, DecisionKind, Facts, Moment
from agents.domain.task.task import Task


class ControlOption(StrEnum):
    STOP = "stop"
    BACKBURNER = "backburner"
    CANCEL = "cancel"


def apply(task: Task, subject: None, chosen: Chosen, moment: Moment) -> Facts:
    return []


CONTROLS: DecisionKind[None] = DecisionKind(
    name=Kind.CONTROLS, rule=STEERING, apply=apply, options=ControlOption, waits=False
)
