"""Whether people outside have finished reading the pull request."""

from agents.domain.decisions.authority import Kind
from agents.domain.decisions.kinds.work.outside_review import OutsideReviewOption
from bot.cards.kinds.kind_card import CANCEL_TASK, CHANGES, TAKE_OVER, KindCard, Label
from bot.cards.progress import merge_rows
from bot.messages import Style

CARD = KindCard(
    kind=Kind.OUTSIDE_REVIEW,
    name="the review by people outside",
    title=lambda task, d: f"{task.id} waits for the review by people outside",
    labels={
        OutsideReviewOption.OVER: Label("Review is over", "Review is over", Style.PRIMARY),
        OutsideReviewOption.CHANGES: CHANGES,
        OutsideReviewOption.LEAVE: TAKE_OVER,
        OutsideReviewOption.CANCEL: CANCEL_TASK,
    },
    rows=lambda task, d, bill: merge_rows(task),
    at_work="Waiting for review",
)
