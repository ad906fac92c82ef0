"""The merge of notes alone, of a task that is over."""

from agents.domain.decisions.authority import Kind
from agents.domain.decisions.decision import Decision
from agents.domain.decisions.kinds.learning.notes_merge import NotesMergeOption
from agents.domain.decisions.subject import OfNotesPull
from agents.domain.task.task import Task
from bot.cards.kinds.kind_card import KindCard, Label, no_lines
from bot.cards.knowledge.notes import carried_rows
from bot.cards.scene import Bill, rows_of
from bot.messages import Row, Style

_TEXT = "It changes notes and nothing else. They hold for tasks that begin after the merge."


def _rows(task: Task, decision: Decision, bill: Bill) -> list[Row]:
    about = decision.subject
    assert isinstance(about, OfNotesPull)
    return [*carried_rows(about.carried), *rows_of(("Pull request", f"#{about.number} {decision.question}"))]


CARD = KindCard(
    kind=Kind.NOTES_MERGE,
    name="the merge of notes",
    title=lambda task, d: f"Notes of {task.id} are ready to merge",
    text=lambda task, d: _TEXT,
    lines=no_lines,
    labels={
        NotesMergeOption.MERGE: Label("Merge notes", "Merge of notes approved", Style.PRIMARY),
        NotesMergeOption.LEAVE: Label("Leave them out", "Notes left out"),
    },
    rows=_rows,
)
