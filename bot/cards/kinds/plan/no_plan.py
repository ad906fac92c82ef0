"""No plan could be made."""

from agents.domain.decisions.authority import Kind
from agents.domain.decisions.decision import Decision
from agents.domain.decisions.kinds.plan.no_plan import NoPlanOption
from agents.domain.task.task import Task
from bot.cards.kinds.asked import effect_rows
from bot.cards.kinds.kind_card import CANCEL, KindCard, Label, request_in_short

OUTLINE = Label("Continue with a one-step plan", "One-step plan chosen")


def _text(task: Task, decision: Decision) -> str:
    request = request_in_short(task)
    return f"“{request}” needs another way. Reply with what I should know, or edit your request; then I plan again."


NO_PLAN = KindCard(
    kind=Kind.NO_PLAN,
    name="what to do without a plan",
    title=lambda task, d: f"{task.id}: I could not make a plan",
    text=_text,
    labels={NoPlanOption.OUTLINE: OUTLINE, NoPlanOption.CANCEL: CANCEL},
    rows=effect_rows,
)
