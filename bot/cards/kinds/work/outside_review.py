"""Whether people outside have finished reading the pull request."""

from collections.abc import Iterator

from agents.domain.decisions.authority import Kind
from agents.domain.decisions.decision import Decision
from agents.domain.decisions.kind import same_option
from agents.domain.decisions.kinds.work.outside_review import OutsideReviewOption
from agents.domain.decisions.table import rights_to
from agents.domain.task.task import Task
from bot.cards.kinds.kind_card import CANCEL_TASK, CHANGES, TAKE_OVER, KindCard, Label, who_may
from bot.cards.work.handing_over import merge_rows
from bot.messages import Style


def _footer(task: Task, decision: Decision) -> Iterator[str]:
    if over := same_option(decision, OutsideReviewOption.OVER):
        yield f"To say that it is over: {who_may(*rights_to(decision, over))}."


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
    footer=_footer,
    at_work="Waiting for review",
)
