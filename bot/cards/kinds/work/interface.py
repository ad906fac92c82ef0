"""A minion needs to change an interface that other subtasks rely on."""

from agents.domain.decisions.authority import Kind
from agents.domain.decisions.decision import Decision
from agents.domain.decisions.kinds.work.interface import InterfaceOption
from agents.domain.task.task import Task
from bot.cards.kinds.kind_card import MINION_WAITS, KindCard, Label, subtask_of
from bot.messages import Style


def _text(task: Task, decision: Decision) -> str:
    if decision.question:
        return decision.question
    why = f": {decision.wording}" if decision.wording else ""
    told = "All other subtasks are told, and the whole is checked against it."
    return f"{subtask_of(decision)} wants to change an interface that was locked{why}. {told}"


CARD = KindCard(
    kind=Kind.INTERFACE,
    name="an interface change",
    title=lambda task, d: f"{task.id}: may an agreed interface change?",
    text=_text,
    labels={
        InterfaceOption.CHANGE: Label("Allow the change", "Interface change allowed", Style.PRIMARY),
        InterfaceOption.KEEP: Label("Keep the interface", "Interface kept", asks="What should it do instead?"),
    },
    at_work=MINION_WAITS,
)
