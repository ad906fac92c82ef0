"""A phase that could not be taken back."""

from collections.abc import Iterator

from agents.domain.decisions.authority import Kind
from agents.domain.decisions.decision import Decision
from agents.domain.decisions.kinds.phases.unreverted import UnrevertedOption
from agents.domain.task.task import Task
from bot.cards.kinds.kind_card import CANCEL_TASK, TAKE_OVER, KindCard, Label, named_subtask, no_lines
from bot.cards.scene import Bill, rows_of
from bot.messages import Row


def _rows(task: Task, decision: Decision, bill: Bill) -> Iterator[Row]:
    yield from rows_of(
        ("Changed again since", ", ".join(decision.plain_evidence)),
        ("Branch", f"`{task.work.branch}`, as it was"),
        ("Until then", "no subtask starts; what runs goes on"),
    )


CARD = KindCard(
    kind=Kind.UNREVERTED,
    name="a phase that could not be taken back",
    title=lambda task, d: f"{task.id}: a phase could not be taken back",
    text=lambda task, d: (
        f"Later work changed what {named_subtask(task, d)} had written, so nothing was taken back. Go on with it as it "
        "is and revert the later phase first, or finish it by hand."
    ),
    labels={
        UnrevertedOption.KEEP: Label("Go on without reverting", "Gone on without reverting"),
        UnrevertedOption.AGAIN: Label("Try the revert again", "Revert tried again"),
        UnrevertedOption.LEAVE: TAKE_OVER,
        UnrevertedOption.CANCEL: CANCEL_TASK,
    },
    rows=_rows,
    lines=no_lines,
    at_work="A phase could not be taken back: it needs you",
    trouble=True,
)
