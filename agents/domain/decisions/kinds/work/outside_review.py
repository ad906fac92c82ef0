"""Whether people outside have finished reading the pull request. The merge is asked for afterwards, as always."""

from enum import StrEnum

from agents.domain import events as e
from agents.domain.decisions.authority import APPROVAL, OWNERS, STEERING, Kind, Rule
from agents.domain.decisions.kind import Chosen, DecisionKind, Facts, Moment, hand_over
from agents.domain.decisions.subject import OfHead
from agents.domain.task.task import Task
from agents.domain.work.dispatching import change_whole


class OutsideReviewOption(StrEnum):
    OVER = "over"
    CHANGES = "changes"
    LEAVE = "leave"
    CANCEL = "cancel"


def apply_outside_review(task: Task, subject: OfHead, chosen: Chosen, moment: Moment) -> Facts:
    match chosen.option.value:
        case _ if not task.in_work:
            return []
        case OutsideReviewOption.OVER:
            return [e.OutsideReviewEnded(task=task.id, at=moment.at, head=subject.commit, by=chosen.by)]
        case OutsideReviewOption.CHANGES:
            return [change_whole(task, moment.at)]
        case _:
            return hand_over(task, chosen, moment)


OUTSIDE_REVIEW = DecisionKind(
    name=Kind.OUTSIDE_REVIEW,
    subject=OfHead,
    rule=APPROVAL,
    apply=apply_outside_review,
    options=OutsideReviewOption,
    needs_words=frozenset({OutsideReviewOption.CHANGES}),
    wider={
        OutsideReviewOption.OVER: Rule(who=OWNERS),
        OutsideReviewOption.CHANGES: Rule(who=OWNERS),
        OutsideReviewOption.CANCEL: STEERING,
    },
)
