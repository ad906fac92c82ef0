"""Cleanups before the whole is judged, as people meet them."""

from agents.domain.decisions.authority import Kind
from agents.domain.decisions.kinds.learning.polish import PolishOption
from bot.cards.kinds.kind_card import KindCard, Label
from bot.messages import Style

CARD = KindCard(
    kind=Kind.POLISH,
    name="the clean-up",
    title=lambda task, d: f"{task.id}: clean up before it is checked as a whole?",
    text=lambda task, d: (
        "All that was planned is done. While it was worked on, supervisors asked for these cleanups. Each becomes a "
        "small subtask with the usual checks; nothing else is looked for. Nobody is in a hurry: it waits for you."
    ),
    labels={
        PolishOption.CLEAN: Label("Clean up now", "Clean-up started", Style.PRIMARY),
        PolishOption.SKIP: Label("Go on without", "Gone on without cleaning up"),
    },
    at_work="Done as planned, and cleanups wait for you",
)
