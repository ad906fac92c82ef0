"""The standing buttons of a status card."""

from agents.domain.decisions.authority import Kind
from agents.domain.decisions.kinds.task.controls import ControlOption
from bot.cards.kinds.kind_card import CANCEL_TASK, SNOOZE, KindCard, Label

CARD = KindCard(
    kind=Kind.CONTROLS,
    name="the controls",
    title=lambda task, d: f"{task.id}: please decide the controls",
    labels={
        ControlOption.STOP: Label("Stop task", "Stopped"),
        ControlOption.BACKBURNER: SNOOZE,
        ControlOption.CANCEL: CANCEL_TASK,
    },
    confirms=False,
)
