"""Notes that people are asked to stand by: what a supervisor wants noted, or what has proved itself."""

from agents.domain.decisions.authority import Kind
from agents.domain.decisions.decision import Decision
from agents.domain.decisions.kinds.learning.notes import NotesOption
from agents.domain.decisions.subject import OfNotes
from agents.domain.knowledge.facts import CLEAN
from agents.domain.task.task import Task
from agents.domain.text.sanitize import cut, one_line
from bot.cards.kinds.kind_card import KindCard, Label
from bot.cards.knowledge.notes import change_rows
from bot.cards.scene import Bill
from bot.messages import Row, Style

_ASKED = (
    "Nobody is told of it before somebody confirms it. A confirmed note is written into the repository, and merged by "
    "a person like any change."
)
_PROVED = (
    f"Minions were shown them in {CLEAN} tasks or more, and what they handed in was taken at the first try. "
    "Established notes are shown to reviewers of plans, too. They stay unconfirmed until somebody says otherwise."
)
_DEPRECATES = "It would no longer apply, and nobody would be told of it any more."


def _subject(decision: Decision) -> OfNotes:
    assert isinstance(decision.subject, OfNotes)
    return decision.subject


def _title(task: Task, decision: Decision) -> str:
    about = _subject(decision)
    if about.establishes:
        count = len(about.notes)
        return f"{count} note{'s have' if count != 1 else ' has'} proved {'themselves' if count != 1 else 'itself'}"
    change = about.notes[0]
    title = one_line(change.title, 120)
    return f"{task.id} taught something: {title}" if not change.deprecates else f"Drop the note “{title}”?"


def _text(task: Task, decision: Decision) -> str:
    about = _subject(decision)
    if about.establishes:
        return _PROVED
    return _DEPRECATES if about.notes[0].deprecates else _ASKED


def _rows(task: Task, decision: Decision, bill: Bill) -> list[Row]:
    about = _subject(decision)
    if not about.establishes:
        return change_rows(about.notes[0])
    return [Row(label=change.name, value=cut("\n".join(change.rules), 500)) for change in about.notes]


CARD = KindCard(
    kind=Kind.NOTES,
    name="what was learnt",
    title=_title,
    text=_text,
    labels={
        NotesOption.CONFIRM: Label("Confirm note", "Note confirmed", Style.PRIMARY),
        NotesOption.EDIT: Label(
            "Edit rules",
            "Rules edited and confirmed",
            asks="The rules as they should be, one a line. Of several notes: the name of each on a line of its own.",
            tells=False,
        ),
        NotesOption.DISCARD: Label("Discard note", "Note discarded"),
    },
    rows=_rows,
)
