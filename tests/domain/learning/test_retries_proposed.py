"""What the end of a task gives rise to beside failures: here, roles that retry too often."""

from datetime import UTC, datetime
from typing import Any

from agents.domain import events as e
from agents.domain.decisions.kind import Moment, Question
from agents.domain.learning.proposal import Level, ProposalType, Trigger
from agents.domain.learning.proposing import look_for_patterns
from agents.domain.metrics.retry_rate import Retried
from tests.llm.rig import task

HIGH = Retried(tasks=5, judged=16, retries=11)


def moment(**other: Any) -> Moment:
    return Moment(at=datetime(2026, 3, 1, tzinfo=UTC), cause="job", retried=lambda task: {"trader": HIGH}, **other)


def test_a_role_that_retries_too_often_becomes_one_proposal() -> None:
    made, asked = look_for_patterns(task(), (), moment())
    assert isinstance(made, e.ProposalMade) and isinstance(asked, Question)
    proposal = made.proposal
    assert proposal.title == "Give trader more context or simpler prompts"
    assert proposal.rationale.evidence == ("The role trader needed 2.2 retries a task over 5 tasks (16 runs judged)",)
    assert (proposal.type, proposal.rationale.trigger) == (ProposalType.WORKFLOW_IMPROVEMENT, Trigger.REPEATED)
    assert proposal.risk is Level.MEDIUM
    known = moment(is_proposed=lambda its: its.likeness == proposal.likeness)
    assert look_for_patterns(task(), (), known) == [], "it does not come back"
