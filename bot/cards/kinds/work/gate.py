"""Finished work of a subtask, before it goes on."""

from agents.domain.checks.evaluation import RiskLevel
from agents.domain.decisions.authority import Kind
from agents.domain.decisions.kinds.work.gate import GateOption
from bot.cards.kinds.kind_card import KindCard, Label
from bot.cards.kinds.work.escalation import DIFFERENTLY
from bot.messages import Style

GATE = KindCard(
    kind=Kind.GATE,
    name="a step of medium risk",
    risky={RiskLevel.HIGH: "a step of high risk", RiskLevel.CRITICAL: "a step of critical risk"},
    title=lambda task, d: f"{task.id}: please look at a step before it goes on",
    labels={
        GateOption.PASS: Label("Let it pass", "Let pass", Style.PRIMARY),
        GateOption.REJECT: Label("Send it back", "Sent back", asks=DIFFERENTLY),
    },
    checks=True,
)
