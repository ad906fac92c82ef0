"""An edit of the request after its plan was approved."""

from agents.domain.decisions.authority import Kind
from agents.domain.decisions.decision import Decision
from agents.domain.decisions.kinds.task.correction import CorrectionOption
from agents.domain.task.task import Task
from agents.domain.text.sanitize import cut
from bot.cards.kinds.kind_card import KindCard, Label


def _text(task: Task, decision: Decision) -> str:
    kept = "The plan, the work and the checks keep to what was approved, unless you ask for a change."
    return f"It now says: “{cut(decision.question, 1500)}”. {kept}"


CARD = KindCard(
    kind=Kind.CORRECTION,
    name="an edit of the request after its approval",
    title=lambda task, d: f"{task.id}: the request was edited after the plan was approved",
    text=_text,
    labels={
        CorrectionOption.CHANGE: Label("Ask for this change", "Change asked for"),
        CorrectionOption.KEEP: Label("Keep what was approved", "Kept as it was approved"),
    },
)
