"""What a subtask may write, where the plan names no files."""

from agents.domain.decisions.authority import Kind
from agents.domain.decisions.decision import Decision
from agents.domain.decisions.kinds.work.start_scope import StartScopeOption
from agents.domain.task.task import Task
from bot.cards.kinds.kind_card import ALLOW, KindCard, Label, named_subtask
from bot.messages import Style


def _text(task: Task, decision: Decision) -> str:
    asked = f"The plan names no files for subtask {named_subtask(task, decision)}. What may it write?"
    return decision.question or asked


CARD = KindCard(
    kind=Kind.START_SCOPE,
    name="what a subtask may write",
    title=lambda task, d: f"{task.id}: what may it write?",
    text=_text,
    labels={
        StartScopeOption.ALLOW: ALLOW,
        StartScopeOption.UNRESTRICTED: Label("Allow everything", "Everything allowed", Style.DANGER),
        StartScopeOption.PATHS: Label(
            "Name the paths", "Paths named", asks="Which paths may it write? One a line; folders end in /"
        ),
    },
)
