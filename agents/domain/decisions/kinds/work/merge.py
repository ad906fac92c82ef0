"""Merge the finished work into the base branch. Always decided by a person; whose, depends on the risk."""

from dataclasses import replace
from enum import StrEnum

from agents.domain import events as e
from agents.domain.checks.evaluation import RiskLevel
from agents.domain.decisions.authority import APPROVERS, LEADS, OWNERS, STEERING, TEAMS, Kind, Requester, Rule
from agents.domain.decisions.kind import Chosen, DecisionKind, Facts, Moment, cancel, hand_over
from agents.domain.decisions.subject import OfHead
from agents.domain.task.task import Task
from agents.domain.work.runs import run_again
from agents.domain.work.scope import Scope, ScopeMode

_USUAL = Rule(who=APPROVERS, requester=Requester.UNLESS_CHANNEL_FORBIDS)
RULES: dict[RiskLevel, Rule] = {
    RiskLevel.LOW: _USUAL,
    RiskLevel.MEDIUM: _USUAL,
    RiskLevel.HIGH: Rule(who=LEADS, requester=Requester.UNLESS_CHANNEL_FORBIDS),
    RiskLevel.CRITICAL: Rule(who=TEAMS, requester=Requester.NEVER, people=2),
}


class MergeOption(StrEnum):
    MERGE = "merge"
    CHANGES = "changes"
    LEAVE = "leave"
    CANCEL = "cancel"


def apply(task: Task, subject: OfHead, chosen: Chosen, moment: Moment) -> Facts:
    match chosen.option.value:
        case MergeOption.CANCEL:
            return cancel(task, chosen, moment)
        case _ if not task.in_work:
            return []
        case MergeOption.MERGE:
            return [e.MergeApproved(task=task.id, at=moment.at, head=subject.commit, by=chosen.by)]
        case MergeOption.CHANGES:
            return change_whole(task, chosen.words, moment)
        case _:
            return hand_over(task, chosen, moment)


def change_whole(task: Task, words: str, moment: Moment) -> Facts:
    """The closing subtask sees all of it, so it is the one that fixes what a person found."""
    last = replace(task.work.subtasks[-1], scope=_scope_of_whole(task))
    return [run_again(task, last, (f"A person read the whole and asks for changes: {words}",), moment.at, afresh=True)]


def _scope_of_whole(task: Task) -> Scope:
    scopes = [work.scope for work in task.work.subtasks]
    if any(each.mode is ScopeMode.UNRESTRICTED for each in scopes):
        return Scope(mode=ScopeMode.UNRESTRICTED)
    patterns = tuple(dict.fromkeys(pattern for each in scopes for pattern in each.patterns))
    loose = any("*" in pattern for pattern in patterns)
    return Scope(mode=ScopeMode.DIRECTORY if loose else ScopeMode.EXPLICIT, patterns=patterns)


MERGE = DecisionKind(
    name=Kind.MERGE,
    subject=OfHead,
    rule=RULES,
    apply=apply,
    options=MergeOption,
    approves=frozenset({MergeOption.MERGE}),
    needs_words=frozenset({MergeOption.CHANGES, MergeOption.CANCEL}),
    wider={MergeOption.CHANGES: Rule(who=OWNERS), MergeOption.CANCEL: STEERING},
    leaves_machine=True,
)
