"""No plan could be made."""

from agents.domain.decisions.authority import Kind
from agents.domain.decisions.decision import Decision
from agents.domain.decisions.kinds.plan.no_plan import NoPlanOption
from agents.domain.task.task import Task
from bot.cards.kinds.kind_card import CANCEL_TASK, OUTLINE, KindCard, effect_rows, request_in_short


def _text(task: Task, decision: Decision) -> str:
    request = request_in_short(task)
    return f"“{request}” needs another way. Reply with what I should know, or edit your request; then I plan again."


CARD = KindCard(
    kind=Kind.NO_PLAN,
    name="what to do without a plan",
    title=lambda task, d: f"{task.id}: I could not make a plan",
    text=_text,
    labels={NoPlanOption.OUTLINE: OUTLINE, NoPlanOption.CANCEL: CANCEL_TASK},
    rows=effect_rows,
)
