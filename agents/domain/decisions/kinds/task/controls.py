"""The standing buttons of a status card. They steer the task (see `decisions/pressing.py`), and are never decided."""

from enum import StrEnum

from agents.domain.decisions.authority import STEERING, Kind
from agents.domain.decisions.kind import DecisionKind


class ControlOption(StrEnum):
    STOP = "stop"
    BACKBURNER = "backburner"
    CANCEL = "cancel"


CONTROLS: DecisionKind[None] = DecisionKind(
    name=Kind.CONTROLS,
    rule=STEERING,
    apply=lambda task, subject, chosen, moment: [],
    options=ControlOption,
    waits=False,
)
