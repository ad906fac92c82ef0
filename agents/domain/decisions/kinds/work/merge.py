"""Merge the finished work into the base branch. Always decided by a person; whose, depends on the risk."""

from enum import StrEnum

from agents.domain import events as e
from agents.domain.checks.evaluation import RiskLevel
from agents.domain.decisions.authority import APPROVAL, OWNERS, RISKY, STEERING, Kind, Rule
from agents.domain.decisions.kind import Chosen, DecisionKind, Facts, Moment, hand_over
from agents.domain.decisions.subject import OfHead
from agents.domain.task.task import Task
from agents.domain.work.dispatching import change_whole

MERGE_RULES: dict[RiskLevel, Rule] = {RiskLevel.LOW: APPROVAL, RiskLevel.MEDIUM: APPROVAL, **RISKY}


class MergeOption(StrEnum):
    MERGE = "merge"
    CHANGES = "changes"
    LEAVE = "leave"
    CANCEL = "cancel"


def apply_merge(task: Task, subject: OfHead, chosen: Chosen, moment: Moment) -> Facts:
    match chosen.option.value:
        case _ if not task.in_work:
            return []
        case MergeOption.MERGE:
            return [e.MergeApproved(task=task.id, at=moment.at, head=subject.commit, by=chosen.by)]
        case MergeOption.CHANGES:
            return [change_whole(task, moment.at)]
        case _:
            return hand_over(task, chosen, moment)


MERGE = DecisionKind(
    name=Kind.MERGE,
    subject=OfHead,
    rule=MERGE_RULES,
    apply=apply_merge,
    options=MergeOption,
    approves=frozenset({MergeOption.MERGE}),
    needs_words=frozenset({MergeOption.CHANGES}),
    wider={MergeOption.CHANGES: Rule(who=OWNERS), MergeOption.CANCEL: STEERING},
    leaves_machine=True,
)
