"""Proposals as people meet them: what is proposed and why, and which task carries it out."""

from agents.domain.decisions.authority import Kind
from agents.domain.decisions.decision import Decision
from agents.domain.decisions.kinds.learning.proposal import ProposalOption, proposal_of_decision
from agents.domain.learning.proposal import Level, Listed, Proposal, ProposalStatus, ProposalType, Trigger
from agents.domain.task.facts import Mandate
from agents.domain.task.task import Task, TaskState
from agents.domain.text.sanitize import cut, one_line
from bot.cards.kinds.kind_card import CANCEL_TASK, KindCard, Label
from bot.cards.scene import Bill, rows_of
from bot.messages import Card, Row, Style, Tone

TYPE: dict[ProposalType, str] = {
    ProposalType.NEW_SKILL: "a new skill",
    ProposalType.TOOL_FIX: "a tool that should work better",
    ProposalType.CONFIG_CHANGE: "a change of settings",
    ProposalType.WORKFLOW_IMPROVEMENT: "a better way to work",
}
TRIGGER: dict[Trigger, str] = {
    Trigger.REPEATED: "the same failure came up in several tasks",
    Trigger.BLOCKER: "a minion reported something that it cannot remove",
    Trigger.REVIEW: "a reviewer found something that is wrong everywhere",
}
STATUS: dict[ProposalStatus, str] = {
    ProposalStatus.PENDING: "waits for a person",
    ProposalStatus.APPROVED: "approved",
    ProposalStatus.REJECTED: "rejected, and not proposed again",
    ProposalStatus.IMPLEMENTED: "implemented",
}
_LEVEL: dict[Level, str] = {Level.LOW: "low", Level.MEDIUM: "medium", Level.HIGH: "high"}
_ENDED: dict[TaskState, str] = {
    TaskState.DONE: "is merged, so it is implemented",
    TaskState.CANCELLED: "ended without it",
    TaskState.FAILED: "ended without it",
}


def proposal_rows(proposal: Proposal) -> list[Row]:
    return [
        Row(label="What for", value=TYPE[proposal.type]),
        Row(label="Why", value=TRIGGER[proposal.rationale.trigger]),
        *(Row(label="Evidence", value=cut(each, 700)) for each in proposal.rationale.evidence),
        Row(label="Proposed", value=cut(proposal.proposed_action, 800)),
        Row(label="Estimated impact", value=_LEVEL[proposal.estimated_impact]),
        Row(label="Risk", value=_LEVEL[proposal.risk]),
    ]


def listed_card(listed: Listed) -> Card:
    """All there is to one, with what became of it."""
    found = listed.proposal
    rows = [
        Row(label="Status", value=found.status),
        *proposal_rows(found),
        Row(label="Proposed at", at=found.created_at),
        *([Row(label="Decided at", at=found.resolved_at)] if found.resolved_at else []),
        *rows_of(("Reason", listed.reason), ("Carried out by", listed.carried_out_by or "")),
    ]
    return Card(title=f"{found.id}: {found.title}", text=f"{listed.task} gave rise to it.", rows=tuple(rows))


def carried_card(task: Task, mandate: Mandate) -> Card:
    """In the thread where the proposal was made."""
    said = _ENDED.get(task.state)
    title = f"{task.id} {said}" if said else f"{task.id} carries out the proposal, in a thread of its own"
    tone = Tone.GOOD if task.state is TaskState.DONE else Tone.PLAIN
    return Card(title=title, text=one_line(mandate.title, 200), tone=tone)


def begun_words(mandate: Mandate, who: str) -> str:
    """The first message of the thread of its own. Its id makes it known again."""
    said = f"{who} approved a proposal of {mandate.task}: {one_line(mandate.title, 200)}"
    return f"{said}\nProposal {mandate.proposal}"


def discuss_words(who: str, task: Task, title: str) -> str:
    """The first message of the thread in which it is talked about."""
    return f"{who} wants to talk about what {task.id} gave rise to: {one_line(title, 200)}"


def discuss_question(proposal: Proposal) -> str:
    """What is answered first; more can be asked below."""
    evidence = "\n".join(f"- {each}" for each in proposal.rationale.evidence)
    return (
        f"ask: What in this project is behind this proposal, and what would it take? “{one_line(proposal.title, 200)}”"
        f"\nProposed: {cut(proposal.proposed_action, 800)}\nEvidence:\n{cut(evidence, 1500)}"
    )


def request_words(proposal: Proposal) -> str:
    """What the new task is asked for: what was shown when it was approved, and nothing else."""
    evidence = "\n".join(f"- {each}" for each in proposal.rationale.evidence)
    return f"{proposal.proposed_action}\n\nIt was proposed because {TRIGGER[proposal.rationale.trigger]}:\n{evidence}"


_TEXT = (
    "Nothing happens before somebody decides. If it is approved, it becomes a task of its own, with a plan to approve."
)


def _rows(task: Task, decision: Decision, bill: Bill) -> list[Row]:
    found = proposal_of_decision(task, decision)
    return proposal_rows(found) if found else []


CARD = KindCard(
    kind=Kind.PROPOSAL,
    name="a proposal",
    title=lambda task, d: f"{task.id} gave rise to a proposal: {one_line(d.question, 200)}",
    text=lambda task, d: _TEXT,
    labels={
        ProposalOption.APPROVE: Label("Approve proposal", "Proposal approved", Style.PRIMARY),
        ProposalOption.REJECT: Label("Reject proposal", "Proposal rejected"),
        ProposalOption.REJECT_BECAUSE: Label("Reject, and say why", "Proposal rejected", asks=CANCEL_TASK.asks),
        ProposalOption.DISCUSS: Label("Discuss", "Being discussed, in a thread of its own, as asked for"),
    },
    rows=_rows,
)
