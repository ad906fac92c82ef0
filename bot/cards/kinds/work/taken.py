"""A subtask that a person works on."""

from agents.domain.decisions.authority import Kind
from agents.domain.decisions.kinds.work.taken import TakenOption
from bot.cards.kinds.kind_card import CANCEL, KindCard, Label, show_question, show_request
from bot.cards.kinds.work.escalation import DROP, ESCALATION
from bot.messages import Style

TAKEN = KindCard(
    kind=Kind.TAKEN,
    name="work that somebody took over",
    title=show_question,
    text=show_request,
    labels={
        TakenOption.HAND_IN: Label("Check my branch", "Handed in", Style.PRIMARY),
        TakenOption.DROP: DROP,
        TakenOption.CANCEL: CANCEL,
    },
    at_work=ESCALATION.at_work,
    checks=True,
    trouble=True,
)
