"""Decisions on finished work: the gate of a step, the merge of the whole, and what a task proposes."""

from enum import StrEnum

from agents.domain import events as e
from agents.domain.checks.evaluation import RiskLevel
from agents.domain.decisions.authority import APPROVERS, LEADS, OWNERS, STEERING, TEAMS, Kind, Requester, Rule, Silence
from agents.domain.decisions.decision import Decision
from agents.domain.decisions.kind import Chosen, DecisionKind, Facts, Moment, hand_over
from agents.domain.decisions.subject import OfHead, OfProposal, OfStep
from agents.domain.learning.proposal import Proposal
from agents.domain.task.task import Task
from agents.domain.work.dispatching import about_run, change_whole, run_again, run_at
from agents.domain.work.work import SubtaskState

_APPROVER = Rule(who=APPROVERS, requester=Requester.UNLESS_CHANNEL_FORBIDS)
_OR_TIME = Rule(who=APPROVERS, requester=Requester.UNLESS_CHANNEL_FORBIDS, silence=Silence.PASSES)
_RISKY: dict[RiskLevel, Rule] = {
    RiskLevel.HIGH: Rule(who=LEADS, requester=Requester.UNLESS_CHANNEL_FORBIDS),
    RiskLevel.CRITICAL: Rule(who=TEAMS, requester=Requester.NEVER, people=2),
}
GATE_RULES: dict[RiskLevel, Rule] = {RiskLevel.LOW: _OR_TIME, RiskLevel.MEDIUM: _OR_TIME, **_RISKY}
MERGE_RULES: dict[RiskLevel, Rule] = {RiskLevel.LOW: _APPROVER, RiskLevel.MEDIUM: _APPROVER, **_RISKY}


class GateOption(StrEnum):
    PASS = "pass"
    REJECT = "reject"


def apply_gate(task: Task, subject: OfStep, chosen: Chosen, moment: Moment) -> Facts:
    work = run_at(task, subject, SubtaskState.EVALUATING)
    if work is None:
        return []
    if chosen.option.value == GateOption.PASS:
        return [e.GatePassed(**about_run(task, work, moment.at), by=chosen.by, by_time=not chosen.by)]
    return [run_again(task, work, (f"A person did not let it pass: {chosen.words}",), moment.at, afresh=True)]


# Finished work of a subtask that passed its checks: let it go on, or ask for a fix. Low risk is never asked about.
GATE = DecisionKind(
    name=Kind.GATE,
    subject=OfStep,
    rule=GATE_RULES,
    apply=apply_gate,
    options=GateOption,
    approves=frozenset({GateOption.PASS}),
    needs_words=frozenset({GateOption.REJECT}),
)


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
            return [change_whole(task, chosen.words, moment.at)]
        case _:
            return hand_over(task, chosen, moment)


# Merge the finished work into the base branch. Always decided by a person; whose, depends on the risk.
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


class UnmergedOption(StrEnum):
    AGAIN = "again"
    LEAVE = "leave"
    CANCEL = "cancel"


def apply_unmerged(task: Task, subject: None, chosen: Chosen, moment: Moment) -> Facts:
    match chosen.option.value:
        case UnmergedOption.AGAIN:
            return [e.MergeApproved(task=task.id, at=moment.at, head=task.delivery.head, by=chosen.by)]
        case _:
            return hand_over(task, chosen, moment)


# The approved merge did not fit: try it again, go on with it by hand, or cancel.
UNMERGED: DecisionKind[None] = DecisionKind(
    name=Kind.UNMERGED,
    rule=Rule(who=OWNERS, reminders=3, by_words=True),
    apply=apply_unmerged,
    options=UnmergedOption,
    approves=frozenset({UnmergedOption.AGAIN}),
)


class ProposalOption(StrEnum):
    APPROVE = "approve"
    REJECT = "reject"
    REJECT_BECAUSE = "reject_because"


def apply_proposal(task: Task, subject: OfProposal, chosen: Chosen, moment: Moment) -> Facts:
    proposal = proposal_of_decision(task, chosen.decision)
    if proposal is None:
        return []
    id, by, on = proposal.id, chosen.person, chosen.decision.project
    if chosen.option.value == ProposalOption.APPROVE:
        return [e.ProposalApproved(task=task.id, project=on, at=moment.at, proposal=id, by=by)]
    reason = chosen.words
    return [e.ProposalRejected(task=task.id, project=on, at=moment.at, proposal=id, by=by, reason=reason)]


def about(proposal: Proposal) -> OfProposal:
    return OfProposal(proposal=proposal.id, shown=proposal.hash)


def proposal_of_decision(task: Task, decision: Decision) -> Proposal | None:
    """What is decided on, while that is open and as it was shown."""
    return next((each for each in task.proposals if about(each) == decision.subject), None)


# A proposal that a task gave rise to: approve it, or turn it down. Silence never decides on one.
PROPOSAL = DecisionKind(
    name=Kind.PROPOSAL,
    subject=OfProposal,
    rule=Rule(who=APPROVERS),
    apply=apply_proposal,
    options=ProposalOption,
    approves=frozenset({ProposalOption.APPROVE}),
    needs_words=frozenset({ProposalOption.REJECT_BECAUSE}),
    waits=False,
)
