"""A minion needs to write more than the plan names."""

from agents.domain.decisions.authority import Kind
from agents.domain.decisions.decision import Decision
from agents.domain.decisions.kinds.work.scope import ScopeOption
from agents.domain.task.task import Task
from bot.cards.kinds.kind_card import ALLOW, MINION_WAITS, KindCard, Label, subtask_of


def _text(task: Task, decision: Decision) -> str:
    name = subtask_of(decision)
    if decision.question:
        return decision.question
    if decision.wording:
        return f"{name} wants to write more than the plan names: {decision.wording}"
    return f"Let {name} write more than the plan names?"


CARD = KindCard(
    kind=Kind.SCOPE,
    name="more scope",
    title=lambda task, d: f"{task.id}: may it write more?",
    text=_text,
    labels={
        ScopeOption.ALLOW: ALLOW,
        ScopeOption.REFUSE: Label("Keep the scope", "Scope kept", asks="What should it do instead?"),
    },
    at_work=MINION_WAITS,
)
