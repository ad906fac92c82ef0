"""Cancelling a task asks to confirm, and wants a reason."""

from dataclasses import replace
from enum import StrEnum

from agents.domain.decisions.authority import OWNERS, Kind, Rule, Silence
from agents.domain.decisions.kind import DecisionKind, Question


class CancelOption(StrEnum):
    CANCEL = "cancel"
    KEEP = "keep"


def confirmation(reason: str) -> Question:
    """A reason that was given already is not asked for again."""
    options = tuple(replace(each, needs_words=each.needs_words and not reason) for each in CANCEL.offer())
    return Question(kind=Kind.CANCEL, options=options, text=reason)


CANCEL: DecisionKind[None] = DecisionKind(
    name=Kind.CANCEL,
    rule=Rule(who=OWNERS, silence=Silence.EXPIRES),
    apply=lambda task, subject, chosen, moment: [],
    options=CancelOption,
)
