"""Another plan for what remains, as people meet it: why, and what is different."""

from collections.abc import Iterator

from agents.domain.decisions.authority import Kind
from agents.domain.decisions.decision import Decision
from agents.domain.decisions.kinds.learning.replan import ReplanOption
from agents.domain.task.task import Task
from agents.domain.text.sanitize import cut
from bot.cards.kinds.kind_card import KindCard, Label, no_lines
from bot.cards.scene import Bill
from bot.messages import Row, Style

_LABELS = {"+": "New", "-": "Dropped", "order": "Changed", "files": "Files that the plan did not name"}


def _rows(task: Task, decision: Decision, bill: Bill) -> Iterator[Row]:
    yield Row(label="Why", value=cut(decision.question, 600))
    for line in decision.plain_evidence:
        label = next((name for start, name in _LABELS.items() if line.startswith(start)), "Problem")
        yield Row(label=label, value=line.lstrip("+- ").removeprefix("files: "))


CARD = KindCard(
    kind=Kind.REPLAN,
    name="another plan for what remains",
    title=lambda task, d: f"{task.id} has drifted from what was asked for: please look at the rest of the plan",
    text=lambda task, d: (
        "What is done stays, and what runs goes on; no new subtask starts before you decide. What is shown here "
        "becomes a new version of the plan only if you take it."
    ),
    labels={
        ReplanOption.TAKE: Label("Take the new plan", "New plan taken", Style.PRIMARY),
        ReplanOption.AGAIN: Label("Plan the rest again", "Planned again", asks="What should be different?"),
        ReplanOption.KEEP: Label("Keep the plan", "Plan kept"),
    },
    rows=_rows,
    lines=no_lines,
    at_work="Held: the work has drifted, and the rest of the plan needs you",
)
