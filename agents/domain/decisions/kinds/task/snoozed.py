"""A task that was snoozed: bring it back, or cancel it."""

from enum import StrEnum

from agents.domain.decisions.authority import STEERING, Kind
from agents.domain.decisions.kind import DecisionKind, resume


class SnoozedOption(StrEnum):
    RESUME = "resume"
    CANCEL = "cancel"


SNOOZED: DecisionKind[None] = DecisionKind(name=Kind.BACKBURNER, rule=STEERING, apply=resume, options=SnoozedOption)
