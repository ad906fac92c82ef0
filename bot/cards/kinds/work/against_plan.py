"""Words that contradict the accepted plan."""

from agents.domain.decisions.authority import Kind
from agents.domain.decisions.decision import Decision
from agents.domain.decisions.kinds.work.against_plan import AgainstPlanOption
from agents.domain.task.task import Task
from agents.domain.text.sanitize import cut
from bot.cards.kinds.kind_card import KindCard, Label, no_lines
from bot.cards.scene import Bill
from bot.messages import Row, Style


def _text(task: Task, decision: Decision) -> str:
    kept = "It is kept. Minions keep to the plan where the two differ, until somebody chooses."
    return f"“{cut(decision.question, 1500)}” {kept}"


def _rows(task: Task, decision: Decision, bill: Bill) -> list[Row]:
    return [Row(label="It contradicts", value=each) for each in decision.plain_evidence]


CARD = KindCard(
    kind=Kind.AGAINST_PLAN,
    name="whether a wish goes before the approved plan",
    title=lambda task, d: f"{task.id}: something that was said contradicts the approved plan",
    text=_text,
    rows=_rows,
    lines=no_lines,
    labels={
        AgainstPlanOption.FOLLOW: Label("Follow the wish", "Wish put before the plan", Style.PRIMARY),
        AgainstPlanOption.KEEP: Label("Keep the plan", "Plan kept"),
    },
    footer=lambda task, d: ("To keep the plan: the owner of the task or an approver.",),
)
