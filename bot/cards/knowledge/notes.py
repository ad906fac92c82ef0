"""Notes as cards and commits show them: what a note says, and what a change does to it."""

from collections.abc import Iterable, Sequence

from agents.domain.knowledge.document import PLACE
from agents.domain.knowledge.note import Carried, Move, NoteChange, Supervisor
from agents.domain.knowledge.record import NoteRow, NoteState
from agents.domain.task.task import Task
from agents.domain.text.sanitize import cut, one_line
from bot.cards.work.commits import wrap
from bot.messages import Row

SHOWN = 700  # characters of a note in a row
WHO: dict[Supervisor, str] = {
    Supervisor.CODE_STYLE: "the Code Style supervisor",
    Supervisor.DESIGN: "the Design supervisor",
    Supervisor.INTERNALISER: "the Internaliser",
}
_MOVE: dict[Move, str] = {
    Move.ADDED: "new",
    Move.CHANGED: "changed",
    Move.ESTABLISHED: "established",
    Move.DEPRECATED: "deprecated, so nobody is told of it any more",
}


_STATE: dict[NoteState, str] = {
    NoteState.WAITS: "waits for a person",
    NoteState.PENDING: "a guess; it comes in with a person's merge",
    NoteState.CONFIRMED: "confirmed; it comes in with a person's merge",
    NoteState.MERGED: "merged, unconfirmed",
    NoteState.DISCARDED: "discarded",
    NoteState.REPLACED: "replaced by a later one",
    NoteState.LEFT_OUT: "left out",
}


def note_state_in_words(row: NoteRow) -> str:
    return "merged and established" if row.is_established else _STATE[row.state]


def change_rows(change: NoteChange) -> list[Row]:
    """A change as it would be written."""
    said = [
        ("Rules", "\n".join(change.rules)),
        ("Good", change.good),
        ("Bad", change.bad),
        ("Why", change.rationale),
        ("From", f"{WHO[change.by]}, after {change.task}; confidence {change.confidence}"),
        ("File", f"`{PLACE}/{change.name}.md`"),
    ]
    return [Row(label=label, value=cut(value, SHOWN)) for label, value in said if value]


def carried_rows(carried: Iterable[Carried]) -> list[Row]:
    """What a merge would bring into the notes, each with what stood there before."""
    return [Row(label="Note", value=_carried(each)) for each in carried]


def _carried(each: Carried) -> str:
    change, sure = each.change, "" if each.established or each.move is Move.DEPRECATED else ", unconfirmed"
    head = f"`{PLACE}/{change.name}.md` ({_MOVE[each.move]}{sure})"
    now = set(change.rules)
    gone = [f"− {rule}" for rule in each.before if rule not in now] if each.move is Move.CHANGED else []
    fresh = [f"+ {rule}" if rule not in each.before else f"  {rule}" for rule in change.rules]
    return cut("\n".join((head, *gone, *fresh)), SHOWN)


def notes_text(task: Task, carried: Sequence[Carried]) -> str:
    """What a commit of notes says: a line, and what became of each."""
    head = f"Note what {task.id} taught"
    lines = (f"- {each.change.name}: {_MOVE[each.move]}, {one_line(each.change.title, 60)}" for each in carried)
    return "\n\n".join(part for part in (head, "\n".join(map(wrap, lines))) if part)
