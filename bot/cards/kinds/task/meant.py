"""Which open question some words answer: every option but the last is an answer to another decision."""

from agents.domain.decisions.authority import Kind
from agents.domain.decisions.decision import Decision
from agents.domain.decisions.kinds.task.meant import MeantOption
from agents.domain.decisions.subject import OfWords
from agents.domain.task.task import Task
from bot.cards.kinds.kind_card import KindCard, Label


def _title(task: Task, decision: Decision) -> str:
    what = "which of these do your words answer?" if len(decision.options) > 2 else "one press to confirm"
    return f"{task.id}: {what}"


def _text(task: Task, decision: Decision) -> str:
    words = decision.subject.words if isinstance(decision.subject, OfWords) else ""
    return f"You wrote: “{words}”. It is kept; nothing follows until you press."


CARD = KindCard(
    kind=Kind.MEANT,
    name="what some words answer",
    title=_title,
    text=_text,
    labels={MeantOption.REMARK: Label("Just a remark", "Kept as a remark")},
)
