"""Whether a remark changes the plan that is shown."""

from agents.domain.decisions.authority import Kind
from agents.domain.decisions.decision import Decision
from agents.domain.decisions.kinds.plan.change import ChangeOption
from agents.domain.decisions.subject import OfWords
from agents.domain.task.task import Task
from agents.domain.text.sanitize import one_line
from bot.cards.kinds.kind_card import KindCard, Label, ask_whole, no_lines, why_rows


def _title(task: Task, decision: Decision) -> str:
    words = decision.subject.words if isinstance(decision.subject, OfWords) else ""
    return f"{task.id}: Should this change the plan: “{one_line(words, 300)}”?"


CARD = KindCard(
    kind=Kind.CHANGE,
    name="whether a remark changes the plan",
    title=_title,
    text=ask_whole,
    labels={
        ChangeOption.YES: Label("Change the plan", "Change of the plan asked for"),
        ChangeOption.NO: Label("Keep the plan as it is", "Plan kept as it is"),
    },
    rows=why_rows,
    lines=no_lines,
)
