"""A request from outside."""

from dataclasses import replace

from agents.domain.decisions.authority import Kind
from agents.domain.decisions.decision import Decision
from agents.domain.decisions.kinds.task.intake import IntakeOption
from agents.domain.task.task import Task
from agents.domain.text.sanitize import cut
from bot.cards.kinds.kind_card import CANCEL_TASK, KindCard, Label
from bot.messages import Style


def _text(task: Task, decision: Decision) -> str:
    origin = task.request.origin
    who = f"{origin.by}, who is not a member there, wrote on {origin.url}" if origin else "They wrote"
    return f"{who}:\n\n{cut(task.request.text, 1500)}\n\nNobody plans anything before you decide."


CARD = KindCard(
    kind=Kind.INTAKE,
    name="whether to take on a request from outside",
    title=lambda task, d: f"{task.id}: somebody outside asks for this. Accept it?",
    text=_text,
    labels={
        IntakeOption.TAKE: Label("Accept", "Accepted", Style.PRIMARY),
        IntakeOption.CANCEL: replace(CANCEL_TASK, text="Decline", closed="Declined"),
    },
)
