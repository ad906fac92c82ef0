"""Moves tasks that ended long ago into files. The hash of the last fact stays here and vouches for the file."""

import gzip
import json
import os
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from sqlalchemy import ColumnElement, Connection, Table, delete, insert, or_, select

from agents.domain.events import Event
from agents.domain.ids import TaskId
from store import tables
from store.codec import load_event, seconds
from store.running.jobs import UNFINISHED
from store.streams.audit import first_break
from store.streams.forgetting import rows_of
from store.streams.listings import number_of
from store.transaction import Transaction

_A, _S, _E, _D, _P, _J = (
    tables.archived, tables.snapshots, tables.events, tables.decisions, tables.proposals, tables.jobs
)  # fmt: skip
ARCHIVE = "archive"  # the folder, in the state folder
Line = dict[str, Any]  # the name of a table, and one of its rows


def tasks_to_archive(db: Connection, before: datetime, limit: int = 20) -> list[TaskId]:
    """Tasks that ended before this, that nothing runs for, and that no proposal came of or belongs to."""
    last = (_E.c.stream == _S.c.stream) & (_E.c.version == _S.c.version - 1)
    unread = select(tables.cursors.c.seq).where(tables.cursors.c.seq < _E.c.seq).exists()
    at_work = select(_J.c.id).where(_J.c.stream == _S.c.stream, _J.c.state.in_(UNFINISHED)).exists()
    proposed = select(_P.c.id).where(or_(_P.c.task == _S.c.stream, _P.c.carried_out_by == _S.c.stream)).exists()
    elsewhere = select(_D.c.id).where(_D.c.task == _S.c.stream, _D.c.stream != _S.c.stream).exists()
    ended = select(_S.c.stream).join(_E, last).where(_S.c.ended, _E.c.at < seconds(before))
    wanted = ended.where(~unread, ~at_work, ~proposed, ~elsewhere).order_by(_S.c.number).limit(limit)
    return [TaskId(task) for task in db.execute(wanted).scalars()]


def lines_of(db: Connection, task: TaskId) -> list[Line]:
    """Every row that goes with this task, its facts in their order."""
    return [
        {"table": table.name, "row": dict(row)}
        for table, which in _places(task).items()
        for row in db.execute(select(table).where(which).order_by(*table.primary_key.columns)).mappings()
    ]


def _places(task: TaskId) -> dict[Table, ColumnElement[bool]]:
    """In the order in which they may be removed. Deliveries stay: their keys say what was heard already."""
    own = {table: table.c.stream == task for table in (_E, tables.words, _S, tables.timers)}
    own |= {table: table.c.task == task for table in (tables.listings, _D, tables.evaluations)}
    return own | {table: which for table, which in rows_of(task).items() if table is not tables.deliveries}


def write_file(folder: Path, task: TaskId, lines: Sequence[Line]) -> None:
    """Whole and on disk, or not at all. Idempotent."""
    folder.mkdir(mode=0o700, exist_ok=True)
    fresh = folder / f".{task}.unfinished"
    with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
        file.write(gzip.compress("".join(f"{json.dumps(line)}\n" for line in lines).encode(), mtime=0))
        file.flush()
        os.fsync(file.fileno())
    fresh.rename(file_of(folder, task))
    place = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(place)
    finally:
        os.close(place)


def file_of(folder: Path, task: TaskId) -> Path:
    return folder / f"{task}.jsonl.gz"


def remove_rows(tx: Transaction, task: TaskId, lines: Sequence[Line], at: datetime) -> bool:
    """Only what is in the file. False: something changed since that was written, and nothing is removed."""
    db = tx.db
    if not lines or lines_of(db, task) != lines:
        return False
    facts = [line["row"] for line in lines if line["table"] == _E.name]
    head = {"versions": len(facts), "head": facts[-1]["hash"], "at": seconds(at)}
    db.execute(insert(_A).values(stream=task, number=number_of(task), **head))
    for table, which in _places(task).items():
        db.execute(delete(table).where(which))
    tx.log.forget()
    return True


def read_file(folder: Path, task: TaskId) -> list[Line]:
    """Raises OSError or ValueError where there is none, or what is there is no archive."""
    with gzip.open(file_of(folder, task), "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def facts_in(lines: Sequence[Line]) -> list[Event]:
    return [load_event(row.kind, row.body, row.prose) for row in _facts_with_words(lines)]


def _facts_with_words(lines: Sequence[Line]) -> list[Any]:
    words = {line["row"]["version"]: line["row"] for line in lines if line["table"] == tables.words.name}
    facts = [line["row"] for line in lines if line["table"] == _E.name]
    none: Line = {"text": None, "removed": False}
    found = ((fact, words.get(fact["version"], none)) for fact in facts)
    return [SimpleNamespace(**fact, prose=said["text"], removed=said["removed"]) for fact, said in found]


def damaged_files(db: Connection, folder: Path) -> list[TaskId]:
    """Archived tasks whose file is missing, or does not end with the hash that was kept."""
    return [TaskId(row.stream) for row in db.execute(select(_A)).all() if not _is_whole(folder, row)]


def _is_whole(folder: Path, kept: Any) -> bool:
    try:
        facts = _facts_with_words(read_file(folder, TaskId(kept.stream)))
        return first_break(facts) is None and (len(facts), facts[-1].hash) == (kept.versions, kept.head)
    except (OSError, EOFError, ValueError, LookupError, TypeError, AttributeError):
        return False
