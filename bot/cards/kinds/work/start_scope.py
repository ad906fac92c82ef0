"""What a subtask may write, where the plan names no files."""

from agents.domain.decisions.authority import Kind
from agents.domain.decisions.kinds.work.start_scope import StartScopeOption
from bot.cards.kinds.kind_card import ALLOW, KindCard, Label
from bot.messages import Style

CARD = KindCard(
    kind=Kind.START_SCOPE,
    name="what a subtask may write",
    title=lambda task, d: f"{task.id}: what may it write?",
    labels={
        StartScopeOption.ALLOW: ALLOW,
        StartScopeOption.UNRESTRICTED: Label("Allow everything", "Everything allowed", Style.DANGER),
        StartScopeOption.PATHS: Label(
            "Name the paths", "Paths named", asks="Which paths may it write? One a line; folders end in /"
        ),
    },
)
