"""A merge that did not fit."""

from agents.domain.decisions.authority import Kind
from agents.domain.decisions.kinds.work.unmerged import UnmergedOption
from bot.cards.kinds.kind_card import CANCEL, KindCard, Label, show_question, show_request
from bot.cards.kinds.work.merge import LEAVE
from bot.messages import Style

UNMERGED = KindCard(
    kind=Kind.UNMERGED,
    name="a merge that did not fit",
    title=show_question,
    text=show_request,
    labels={
        UnmergedOption.AGAIN: Label("Try the merge again", "Merge tried again", Style.PRIMARY),
        UnmergedOption.LEAVE: LEAVE,
        UnmergedOption.CANCEL: CANCEL,
    },
    at_work="Could not be merged: it needs you",
    trouble=True,
)
