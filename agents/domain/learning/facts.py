"""Facts of proposals, on the stream of their project; older ones on that of the task that gave rise to them."""

from dataclasses import dataclass

from agents.domain.fact import AboutProposal, OnEitherStream
from agents.domain.ids import PersonId
from agents.domain.learning.proposal import Proposal


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposalMade(OnEitherStream):
    """The decision that was opened with it is a person's; nothing waits for it."""

    proposal: Proposal


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposalApproved(AboutProposal):
    """It becomes a task of its own, asked for by whoever approved."""

    by: PersonId


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposalRejected(AboutProposal):
    by: PersonId
    reason: str = ""
