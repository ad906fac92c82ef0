"""Notes as a table: how far each change of one has come, and by whose decision. Made from the facts alone."""

from collections.abc import Iterable, Mapping
from typing import Any

from sqlalchemy import Connection, Row, or_, select

from agents.domain.checks.evaluation import RiskLevel
from agents.domain.decisions.authority import Kind
from agents.domain.events import Event, NotesMerged
from agents.domain.ids import StreamId, TaskId
from agents.domain.knowledge.owners import NoteChange
from agents.domain.knowledge.record import OPEN, NoteRow, NoteState, named_in, replay, rows_after
from store import tables
from store.codec import dump, load_event, moment, seconds, shape
from store.note_table import notes as _N
from store.sql import TransactionPart, upsert

LET_IN = (Kind.MERGE.value, *(f"{Kind.MERGE}_{risk}" for risk in RiskLevel), Kind.NOTES_MERGE.value)


class NoteTable(TransactionPart):
    def newest(self, most: int) -> list[NoteRow]:
        wanted = select(_N).order_by(_N.c.at.desc(), _N.c.id).limit(most)
        return [_read(row) for row in self._db.execute(wanted)]


def write(db: Connection, fact: Event) -> None:
    """Called by the log alone, as a fact is appended."""
    ids = named_in(fact)
    if not ids:
        return
    mine = _N.c.project == fact.stream
    rows = db.execute(select(_N).where(mine, or_(_N.c.id.in_(ids), _N.c.state.in_(OPEN))))
    known = {row.id: _read(row) for row in rows}
    let_in = _let_in(db, fact) if isinstance(fact, NotesMerged) else None
    for row in rows_after(known, fact):
        upsert(db, _N, _written(row, let_in if row.state is NoteState.MERGED else row.merge))


def agrees(db: Connection, stream: StreamId, facts: Iterable[Event]) -> bool:
    """Whether the rows of a project say what its facts say."""
    rows = {row.id: _read(row) for row in db.execute(select(_N).where(_N.c.project == stream))}
    expected = replay(facts)
    return rows.keys() == expected.keys() and all(_same(rows[id], row) for id, row in expected.items())


def fill(db: Connection) -> None:
    """From the facts of databases that had no such table."""
    e = tables.events
    kinds = ("SupervisorRan", "NotesConfirmed", "NotesDiscarded", "NotesMerged", "NotesUnmerged")
    wanted = select(e.c.kind, e.c.body, tables.words.c.text).outerjoin(tables.words, tables.WORDS_OF_FACT)
    for kind, body, prose in db.execute(wanted.where(e.c.kind.in_(kinds)).order_by(e.c.seq)).all():
        write(db, load_event(kind, body, prose))


def _same(row: NoteRow, expected: NoteRow) -> bool:
    return (row.state, row.change, row.decision) == (expected.state, expected.change, expected.decision)


def _read(row: Row[Any]) -> NoteRow:
    return NoteRow(
        id=row.id,
        project=row.project,
        task=TaskId(row.task),
        state=NoteState(row.state),
        change=shape(NoteChange).validate_json(row.change),
        decision=row.decision,
        merge=row.merge,
        at=moment(row.at),
    )


def _written(row: NoteRow, merge: str | None) -> Mapping[str, object]:
    return {
        "id": row.id,
        "project": row.project,
        "task": row.task,
        "name": row.change.name,
        "state": row.state,
        "change": dump(row.change),
        "decision": row.decision,
        "merge": merge,
        "at": seconds(row.at),
    }


def _let_in(db: Connection, fact: NotesMerged) -> str | None:
    """The person's merge that brought them in. None: the row is refused."""
    d = tables.decisions
    made = (d.c.task == fact.task, d.c.kind.in_(LET_IN), d.c.state == "decided", d.c.delivery.is_not(None))
    return db.execute(select(d.c.id).where(*made).order_by(d.c.opened_at.desc()).limit(1)).scalar()
