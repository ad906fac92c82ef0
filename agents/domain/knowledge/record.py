"""What became of each change of a note, from a supervisor's guess to a person's merge, as a table keeps it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

from agents.domain.fact import Event
from agents.domain.ids import TaskId
from agents.domain.knowledge.facts import (
    MOST_PENDING,
    NotesConfirmed,
    NotesDiscarded,
    NotesMerged,
    NotesUnmerged,
)
from agents.domain.knowledge.owners import NoteChange
from agents.domain.supervision.facts import SupervisorRan


class NoteState(StrEnum):
    """How far a change has come."""

    WAITS = "waits"  # inert until a person confirms it
    PENDING = "pending"  # a guess; it may be written, and a person's merge brings it in
    CONFIRMED = "confirmed"
    MERGED = "merged"
    DISCARDED = "discarded"
    REPLACED = "replaced"  # by a later one
    LEFT_OUT = "left_out"  # its pull request was given up


OPEN = frozenset({NoteState.WAITS, NoteState.PENDING, NoteState.CONFIRMED})


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteRow:
    """`decision` confirmed it, `merge` let it in: neither is there but by a person."""

    id: str
    project: str
    task: TaskId
    state: NoteState
    change: NoteChange
    decision: str | None = None
    merge: str | None = None
    at: datetime

    @property
    def is_established(self) -> bool:
        return self.state is NoteState.MERGED and self.decision is not None


def rows_after(known: Mapping[str, NoteRow], fact: Event) -> Sequence[NoteRow]:
    """The rows that a fact makes or changes. `known`: those that are open, and those that it names."""
    match fact:
        case SupervisorRan(notes=notes) if notes:
            replaced = _replaced(known, notes, (NoteState.WAITS, NoteState.PENDING))
            fresh = [_row(fact, each, _first_state(each)) for each in notes]
            return _without_oldest(known, [*replaced, *fresh])
        case NotesConfirmed(notes=notes, decision=decision):
            replaced = _replaced(known, notes, tuple(OPEN))
            sure = [replace(_row(fact, each, NoteState.CONFIRMED), decision=decision) for each in notes]
            return _without_oldest(known, [*replaced, *sure])
        case NotesDiscarded(notes=notes):
            return [replace(known[each.id], state=NoteState.DISCARDED) for each in notes if each.id in known]
        case NotesMerged(notes=ids):
            return [replace(known[id], state=NoteState.MERGED) for id in ids if id in known]
        case NotesUnmerged(notes=ids):
            return [replace(known[id], state=NoteState.LEFT_OUT) for id in ids if id in known]
        case _:
            return []


def named_in(fact: Event) -> tuple[str, ...]:
    """Ids of changes that a fact tells of."""
    match fact:
        case SupervisorRan(notes=notes) | NotesConfirmed(notes=notes) | NotesDiscarded(notes=notes):
            return tuple(each.id for each in notes)
        case NotesMerged(notes=ids) | NotesUnmerged(notes=ids):
            return ids
        case _:
            return ()


def replay(facts: Iterable[Event]) -> dict[str, NoteRow]:
    """As the facts of a project leave them."""
    found = dict[str, NoteRow]()
    for fact in facts:
        found |= {row.id: row for row in rows_after(found, fact)}
    return found


def _first_state(change: NoteChange) -> NoteState:
    return NoteState.WAITS if change.needs_user_review or change.deprecates else NoteState.PENDING


def _row(fact: Event, change: NoteChange, state: NoteState) -> NoteRow:
    return NoteRow(id=change.id, project=fact.stream, task=TaskId(change.task), state=state, change=change, at=fact.at)


def _replaced(
    known: Mapping[str, NoteRow], changes: Sequence[NoteChange], states: Sequence[NoteState]
) -> list[NoteRow]:
    names, ids = {each.name for each in changes}, {each.id for each in changes}
    return [
        replace(row, state=NoteState.REPLACED)
        for row in known.values()
        if row.change.name in names and row.id not in ids and row.state in states
    ]


def _without_oldest(known: Mapping[str, NoteRow], changed: Sequence[NoteRow]) -> list[NoteRow]:
    """Of too many open ones the oldest go, as the project forgets them."""
    after = {**known, **{row.id: row for row in changed}}
    waiting = sorted((row for row in after.values() if row.state in OPEN), key=lambda row: row.at)
    gone = [replace(row, state=NoteState.REPLACED) for row in waiting[:-MOST_PENDING]]
    return [*changed, *gone]
