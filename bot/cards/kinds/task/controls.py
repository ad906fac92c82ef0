"""The standing buttons of a status card."""

from agents.domain.decisions.authority import Kind
from agents.domain.decisions.kinds.task.controls import ControlOption
from bot.cards.kinds.kind_card import CANCEL_TASK, SNOOZE, KindCard, Label

WHICH = "Which phase? Its number, such as 2. A card then shows what that means, and an approver decides."

CARD = KindCard(
    kind=Kind.CONTROLS,
    name="the controls",
    title=lambda task, d: f"{task.id}: please decide the controls",
    labels={
        ControlOption.STOP: Label("Stop task", "Stopped"),
        ControlOption.BACKBURNER: SNOOZE,
        ControlOption.CANCEL: CANCEL_TASK,
        ControlOption.RESTART_PHASE: Label("Restart phase", "Asked to restart", asks=WHICH),
        ControlOption.REVERT_PHASE: Label("Revert phase", "Asked to revert", asks=WHICH),
    },
    confirms=False,
)
