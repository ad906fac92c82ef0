"""Helpers that the tests of cli proposals share with others."""

from datetime import UTC, datetime

from agents.domain.ids import TaskId
from agents.domain.learning.proposal import Level, Proposal, ProposalType, Rationale, Trigger, proposal_id
from agents.domain.learning.signature import of_blocker

AT = datetime(2026, 3, 2, 9, 30, tzinfo=UTC)


TASK = TaskId("T-1")


def proposal_of(title: str, task: TaskId = TASK) -> Proposal:
    return Proposal(
        id=proposal_id(task, title),
        type=ProposalType.TOOL_FIX,
        title=title,
        rationale=Rationale(
            trigger=Trigger.BLOCKER, evidence=(f"T-1.1 reports: {title}",), signature=of_blocker(title)
        ),
        proposed_action=f"Do something about it: {title}",
        estimated_impact=Level.HIGH,
        risk=Level.LOW,
        project="shop",
        likeness=title,
        related_tasks=(task,),
        created_at=AT,
    )
