"""Whether to cancel a task, and why."""

from agents.domain.decisions.authority import Kind
from agents.domain.decisions.decision import Decision
from agents.domain.decisions.kinds.task.cancel import CancelOption
from agents.domain.task.task import Task
from bot.cards.kinds.kind_card import CANCEL_TASK, KindCard, Label, request_in_short


def _text(task: Task, decision: Decision) -> str:
    reason = f"The reason given: {decision.question}" if decision.question else "A reason will be asked for."
    return f"“{request_in_short(task)}” ends for good. {reason}"


CARD = KindCard(
    kind=Kind.CANCEL,
    name="whether to cancel",
    title=lambda task, d: f"Cancel {task.id}?",
    text=_text,
    labels={CancelOption.CANCEL: CANCEL_TASK, CancelOption.KEEP: Label("Keep task", "Kept")},
    confirms=False,
    takes_words=False,
)
