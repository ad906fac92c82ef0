"""Which project a request is for. The options are the projects there are."""

from agents.domain.decisions.authority import Kind
from agents.domain.decisions.decision import Decision
from agents.domain.task.task import Task
from bot.cards.kinds.kind_card import KindCard, request_in_short


def _text(task: Task, decision: Decision) -> str:
    return f"“{request_in_short(task)}” could be about several projects. Press one, or reply with its name."


CARD = KindCard(
    kind=Kind.PROJECT,
    name="which project it is for",
    title=lambda task, d: f"{task.id}: which project is this for?",
    text=_text,
)
