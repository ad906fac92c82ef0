"""Words in the thread of somebody else's task."""

from agents.domain.decisions.authority import Kind
from agents.domain.decisions.decision import Decision, Option
from agents.domain.decisions.kinds.task.second import SecondOption
from agents.domain.task.task import Task
from bot.cards.kinds.kind_card import KindCard, Label


def _text(task: Task, decision: Decision) -> str:
    return f"You wrote: “{decision.question}”. I kept it as a remark here; a new task gets a thread of its own."


def _remark_label(decision: Decision, option: Option) -> Label:
    """Earlier versions stored the label."""
    return Label(option.label or f"Remark on {decision.task}", "Kept as a remark")


CARD = KindCard(
    kind=Kind.SECOND,
    name="whether it is a task of its own",
    title=lambda task, d: f"New task, or a remark on {task.id}?",
    text=_text,
    labels={SecondOption.TASK: Label("New task", "New task begun")},
    other=_remark_label,
)
