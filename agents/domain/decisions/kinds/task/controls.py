"""The standing buttons of a status card. They steer the task (see `decisions/pressing.py`), and are never decided."""

from enum import StrEnum

from agents.domain.decisions.authority import STEERING, Kind
from agents.domain.decisions.kind import DecisionKind


class ControlOption(StrEnum):
    STOP = "stop"
    BACKBURNER = "backburner"
    CANCEL = "cancel"
    RESTART_PHASE = "restart_phase"
    REVERT_PHASE = "revert_phase"


CONTROLS: DecisionKind[None] = DecisionKind(
    name=Kind.CONTROLS,
    rule=STEERING,
    apply=lambda task, subject, chosen, moment: [],
    options=ControlOption,
    needs_words=frozenset({ControlOption.RESTART_PHASE, ControlOption.REVERT_PHASE}),
    waits=False,
)
