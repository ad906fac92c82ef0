"""A merge that did not fit."""

from agents.domain.decisions.authority import Kind
from agents.domain.decisions.kinds.work.unmerged import UnmergedOption
from bot.cards.kinds.kind_card import CANCEL_TASK, TAKE_OVER, KindCard, Label, show_question, show_request
from bot.messages import Style

CARD = KindCard(
    kind=Kind.UNMERGED,
    name="a merge that did not fit",
    title=show_question,
    text=show_request,
    labels={
        UnmergedOption.AGAIN: Label("Try the merge again", "Merge tried again", Style.PRIMARY),
        UnmergedOption.LEAVE: TAKE_OVER,
        UnmergedOption.CANCEL: CANCEL_TASK,
    },
    at_work="Could not be merged: it needs you",
    trouble=True,
)
