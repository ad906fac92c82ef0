"""A merge that did not fit."""

from agents.domain.decisions.authority import Kind
from agents.domain.decisions.kinds.work.unmerged import UnmergedOption
from bot.cards.kinds.kind_card import CANCEL_TASK, TAKE_OVER, KindCard, Label, show_request
from bot.cards.scene import rows_of
from bot.messages import Style

CARD = KindCard(
    kind=Kind.UNMERGED,
    name="a merge that did not fit",
    title=lambda task, d: d.question or f"{task.id} could not be merged",
    text=show_request,
    rows=lambda task, d, bill: rows_of(("Kept", f"branch {task.work.branch}")) if not d.question else (),
    labels={
        UnmergedOption.AGAIN: Label("Try the merge again", "Merge tried again", Style.PRIMARY),
        UnmergedOption.LEAVE: TAKE_OVER,
        UnmergedOption.CANCEL: CANCEL_TASK,
    },
    at_work="Could not be merged: it needs you",
    trouble=True,
)
