"""A subtask that the rules could not settle."""

from agents.domain.decisions.authority import Kind
from agents.domain.decisions.decision import Decision
from agents.domain.decisions.kinds.work.escalation import EscalationOption
from agents.domain.task.task import Task
from bot.cards.kinds.kind_card import (
    CANCEL_TASK,
    DIFFERENTLY,
    DROP,
    STEP_WAITS,
    TAKE_OVER,
    KindCard,
    Label,
    named_subtask,
    show_request,
)
from bot.messages import Style


def _title(task: Task, decision: Decision) -> str:
    return decision.question or f"{named_subtask(task, decision)} needs you"


CARD = KindCard(
    kind=Kind.ESCALATION,
    name="work that got stuck",
    title=_title,
    text=show_request,
    labels={
        EscalationOption.HINT: Label("Retry with a hint", "Retried with a hint", Style.PRIMARY, DIFFERENTLY),
        EscalationOption.CHECK: Label("Check again", "Checked again"),
        EscalationOption.WAIVE: Label(
            "Continue without this check", "Went on without the check", asks="Why may it go on without this check?"
        ),
        EscalationOption.CORE: Label("Core only", "Retried: core only"),
        EscalationOption.STUB: Label("Stub with TODOs", "Retried: a stub with TODOs"),
        EscalationOption.EXPAND: Label(
            "Expand scope", "More scope asked for", asks="Which paths may it write too? One a line"
        ),
        EscalationOption.TAKE: TAKE_OVER,
        EscalationOption.DROP: DROP,
        EscalationOption.CANCEL: CANCEL_TASK,
    },
    at_work=STEP_WAITS,
    comments=EscalationOption.HINT,
    checks=True,
    trouble=True,
)
