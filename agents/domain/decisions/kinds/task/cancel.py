"""Cancelling a task asks to confirm, and wants a reason."""

from dataclasses import replace
from enum import StrEnum

from agents.domain.decisions.authority import OWNERS, Kind, Rule, Silence
from agents.domain.decisions.kind import Chosen, DecisionKind, Facts, Moment, Question, cancel
from agents.domain.task.task import Task


class CancelOption(StrEnum):
    CANCEL = "cancel"
    KEEP = "keep"


def confirmation(reason: str) -> Question:
    """A reason that was given already is not asked for again."""
    options = tuple(replace(each, needs_words=each.needs_words and not reason) for each in CANCEL.offer())
    return Question(kind=CANCEL, options=options, text=reason)


def apply(task: Task, subject: None, chosen: Chosen, moment: Moment) -> Facts:
    if chosen.option.value == CancelOption.KEEP:
        return []
    return cancel(task, chosen, moment, reason=chosen.decision.question)


CANCEL: DecisionKind[None] = DecisionKind(
    name=Kind.CANCEL,
    rule=Rule(who=OWNERS, silence=Silence.EXPIRES),
    apply=apply,
    options=CancelOption,
    needs_words=frozenset({CancelOption.CANCEL}),
)
