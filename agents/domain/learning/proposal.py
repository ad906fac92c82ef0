"""An enhancement that the system suggests: what, why, and how far it has come. Only a person moves it on."""

import re
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

from agents.domain.errors import IllegalMove
from agents.domain.fact import AboutProposal, OnEitherStream
from agents.domain.ids import Account, PersonId, ProposalId, TaskId, derive_id, fingerprint
from agents.domain.learning.signature import Signature


class ProposalType(StrEnum):
    """What would be changed."""

    NEW_SKILL = "new_skill"
    TOOL_FIX = "tool_fix"
    CONFIG_CHANGE = "config_change"
    WORKFLOW_IMPROVEMENT = "workflow_improvement"


class Level(StrEnum):
    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"


class Trigger(StrEnum):
    """What gave rise to it."""

    REPEATED = "repeated"  # the same failure in two tasks or more
    BLOCKER = "blocker"  # a minion reports something that it cannot remove
    REVIEW = "review"  # a reviewer finds something wrong with the system itself


class ProposalStatus(StrEnum):
    PENDING = "pending"
    APPROVED = "approved"
    REJECTED = "rejected"
    IMPLEMENTED = "implemented"


S = ProposalStatus

# Where a proposal may go from where it is.
PROPOSAL_MOVES: dict[ProposalStatus, frozenset[ProposalStatus]] = {
    S.PENDING: frozenset({S.APPROVED, S.REJECTED}),
    S.APPROVED: frozenset({S.IMPLEMENTED}),
    S.REJECTED: frozenset(),
    S.IMPLEMENTED: frozenset(),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Rationale:
    trigger: Trigger
    evidence: tuple[str, ...]
    signature: Signature | None = None  # of what is in the way; by it the same is known again in other words


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """Whose words are in it, a minion's or a model's, counts for nothing: a person decides."""

    id: ProposalId
    type: ProposalType
    title: str
    rationale: Rationale
    proposed_action: str
    estimated_impact: Level
    risk: Level
    status: ProposalStatus = S.PENDING
    project: str
    likeness: str  # the same for near-duplicates
    revises: str = ""  # of a new skill: the one that is to be better
    related_tasks: tuple[TaskId, ...] = ()
    related_issues: tuple[int, ...] = ()
    created_at: datetime
    resolved_at: datetime | None = None

    @property
    def hash(self) -> str:
        """Of what a person is shown and decides on."""
        said = (self.type, self.title, self.rationale.trigger, *self.rationale.evidence)
        return fingerprint(*said, "|", self.proposed_action, self.estimated_impact, self.risk, self.project)


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """A proposal with what became of it."""

    proposal: Proposal
    task: TaskId  # that gave rise to it
    account: Account | None = None  # that decided
    reason: str = ""
    carried_out_by: TaskId | None = None


def is_like(proposal: Proposal, other: Proposal) -> bool:
    """Whether both are about the same, in the same project."""
    these = (proposal.rationale.signature, other.rationale.signature)
    told = these[0] is not None and these[1] is not None and these[0].is_like(these[1])
    return proposal.project == other.project and (told or proposal.likeness == other.likeness)


def proposal_id(task: TaskId, cause: str) -> ProposalId:
    return ProposalId(derive_id("proposal", task, cause))


def move(proposal: Proposal, to: ProposalStatus, at: datetime) -> Proposal:
    """The proposal as it stands after a decision, or after its task is done. It is resolved once, by the decision."""
    if to not in PROPOSAL_MOVES[proposal.status]:
        raise IllegalMove(
            f"The proposal “{proposal.title}” is {proposal.status}, so it cannot become {to}",
            next_step="See `overlord proposals list --all`.",
        )
    return replace(proposal, status=to, resolved_at=proposal.resolved_at or at)


_NUMBERS = re.compile(r"\b(?:0x)?(?=[a-f]*\d)[0-9a-f]+\b")
_NO_WORDS = re.compile(r"[\W_]+")


def likeness(project: str, trigger: Trigger, words: str) -> str:
    """Of two that differ in case, numbers, hashes or punctuation alone it is the same."""
    plain = _NO_WORDS.sub(" ", _NUMBERS.sub(" ", words.casefold()))
    return fingerprint(project, trigger, " ".join(plain.split()))


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
