"""A proposal that a task gave rise to."""

from agents.domain.decisions.authority import Kind
from agents.domain.decisions.decision import Decision
from agents.domain.decisions.kinds.work.proposal import ProposalOption, proposed
from agents.domain.task.task import Task
from agents.domain.text.sanitize import one_line
from bot.cards.kinds.kind_card import CANCEL, KindCard, Label
from bot.cards.parts.bill import Bill
from bot.cards.proposals import proposal_rows
from bot.messages import Row, Style

_TEXT = (
    "Nothing happens before somebody decides. If it is approved, it becomes a task of its own, with a plan to approve."
)


def _rows(task: Task, decision: Decision, bill: Bill) -> list[Row]:
    found = proposed(task, decision)
    return proposal_rows(found) if found else []


PROPOSAL = KindCard(
    kind=Kind.PROPOSAL,
    name="a proposal",
    title=lambda task, d: f"{task.id} gave rise to a proposal: {one_line(d.question, 200)}",
    text=lambda task, d: _TEXT,
    labels={
        ProposalOption.APPROVE: Label("Approve proposal", "Proposal approved", Style.PRIMARY),
        ProposalOption.REJECT: Label("Reject proposal", "Proposal rejected"),
        ProposalOption.REJECT_BECAUSE: Label("Reject, and say why", "Proposal rejected", asks=CANCEL.asks),
    },
    rows=_rows,
)
