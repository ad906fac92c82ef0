"""A minion needs to write more than the plan names."""

from agents.domain.decisions.authority import Kind
from agents.domain.decisions.kinds.work.scope import ScopeOption
from bot.cards.kinds.kind_card import ALLOW, MINION_WAITS, KindCard, Label

CARD = KindCard(
    kind=Kind.SCOPE,
    name="more scope",
    title=lambda task, d: f"{task.id}: may it write more?",
    labels={
        ScopeOption.ALLOW: ALLOW,
        ScopeOption.REFUSE: Label("Keep the scope", "Scope kept", asks="What should it do instead?"),
    },
    at_work=MINION_WAITS,
)
