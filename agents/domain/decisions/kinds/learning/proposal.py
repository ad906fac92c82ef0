"""A proposal that a task gave rise to: approve it, or turn it down. Silence never decides on one."""

from enum import StrEnum

from agents.domain import events as e
from agents.domain.decisions.authority import APPROVERS, HEARD, Kind, Rule
from agents.domain.decisions.decision import Decision
from agents.domain.decisions.kind import Chosen, DecisionKind, Follows, Moment, Question
from agents.domain.decisions.subject import OfProposal
from agents.domain.learning.proposal import Proposal
from agents.domain.task.task import Task


class ProposalOption(StrEnum):
    APPROVE = "approve"
    REJECT = "reject"
    REJECT_BECAUSE = "reject_because"
    DISCUSS = "discuss"


def apply_proposal(task: Task, subject: OfProposal, chosen: Chosen, moment: Moment) -> Follows:
    proposal = proposal_of_decision(task, chosen.decision)
    if proposal is None:
        return []
    id, by, on = proposal.id, chosen.person, chosen.decision.project
    if chosen.option.value == ProposalOption.APPROVE:
        return [e.ProposalApproved(task=task.id, project=on, at=moment.at, proposal=id, by=by)]
    if chosen.option.value == ProposalOption.DISCUSS:
        return [_ask_again(proposal, chosen)]
    reason = chosen.words
    return [e.ProposalRejected(task=task.id, project=on, at=moment.at, proposal=id, by=by, reason=reason)]


def _ask_again(proposal: Proposal, chosen: Chosen) -> Question:
    """Talking about it decides nothing. It is asked once more, beside the thread that it is talked about in."""
    return Question(
        kind=Kind.PROPOSAL,
        options=PROPOSAL.offer(*DECIDES),
        text=proposal.title,
        subject=about(proposal),
        project=chosen.decision.project,
        cause=f"{proposal.id}:discussed",
    )


def about(proposal: Proposal) -> OfProposal:
    return OfProposal(proposal=proposal.id, shown=proposal.hash)


def proposal_of_decision(task: Task, decision: Decision) -> Proposal | None:
    """What is decided on, while that is open and as it was shown."""
    return next((each for each in task.proposals if about(each) == decision.subject), None)


DECIDES = (ProposalOption.APPROVE, ProposalOption.REJECT, ProposalOption.REJECT_BECAUSE)
PROPOSAL = DecisionKind(
    name=Kind.PROPOSAL,
    subject=OfProposal,
    rule=Rule(who=APPROVERS),
    apply=apply_proposal,
    options=ProposalOption,
    approves=frozenset({ProposalOption.APPROVE}),
    needs_words=frozenset({ProposalOption.REJECT_BECAUSE}),
    wider={ProposalOption.DISCUSS: HEARD},
    waits=False,
)
