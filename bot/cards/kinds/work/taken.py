"""A subtask that a person took over."""

from agents.domain.decisions.authority import Kind
from agents.domain.decisions.kinds.work.taken import TakenOption
from bot.cards.kinds.kind_card import CANCEL_TASK, DROP, STEP_WAITS, KindCard, Label, show_question, show_request
from bot.messages import Style

CARD = KindCard(
    kind=Kind.TAKEN,
    name="work that somebody took over",
    title=show_question,
    text=show_request,
    labels={
        TakenOption.HAND_IN: Label("Check my branch", "Handed in", Style.PRIMARY),
        TakenOption.DROP: DROP,
        TakenOption.CANCEL: CANCEL_TASK,
    },
    at_work=STEP_WAITS,
    checks=True,
    trouble=True,
)
