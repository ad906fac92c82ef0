"""What is older than people want it kept: rows are removed a bounded batch at a time, and tasks are moved into files.

The hash of an archived task's last fact stays here and vouches for its file.
"""

import gzip
import json
import os
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import takewhile
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from sqlalchemy import Column, ColumnElement, Connection, Select, Table, delete, func, insert, or_, select, update

from agents.domain import events as e
from agents.domain.ids import TaskId
from store import tables
from store.chat.deliveries import DeliveryState
from store.codec import load_event, seconds
from store.note_table import notes
from store.running.jobs import UNFINISHED
from store.skill_tables import skills
from store.streams.audit import first_break
from store.streams.forgetting import rows_of
from store.streams.projections import number_of
from store.transaction import Transaction

_D, _M, _T, _S, _E = tables.deliveries, tables.messages, tables.threads, tables.snapshots, tables.events
_R, _A, _C, _P, _J = tables.turns, tables.archived, tables.decisions, tables.proposals, tables.jobs
BATCH = 200
RUNS = 20  # of minions; each has many long turns
ARCHIVE = "archive"  # the folder, in the state folder
START: dict[str, Any] = {"messages": 0, "deliveries": 0, "turns": ""}  # before the first row
TAKEN = tuple(kind.__name__ for kind in (e.SubtaskTaken, e.BranchPublished, e.TaskHandedOver, e.WorkKept))
# Their key alone says that an issue or a proposal was taken on, however long ago; what stood in them may go.
_TAKEN_ON = ("Labelled", "Mandated")


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """Rows that are old enough, in the order in which they were written."""

    rows: tuple[Any, ...] = ()
    last: Any = 0  # where the next batch begins
    more: bool = False  # there may be some after it


def _next(db: Connection, number: Column[int], at: Column[float], after: int, before: datetime) -> Batch:
    found = db.execute(select(number, at).where(number > after).order_by(number).limit(BATCH)).all()
    old = tuple(row[0] for row in takewhile(lambda row: row[1] < seconds(before), found))
    return Batch(rows=old, last=old[-1] if old else after)


def _next_runs(db: Connection, after: str, before: datetime) -> Batch:
    """From one run to the next in the index; of each task it is known whether it is over."""
    seen = list[str]()
    while len(seen) < RUNS and (run := db.scalar(select(func.min(_R.c.run)).where(_R.c.run > after))) is not None:
        seen.append(run)
        after = run
    over = tasks_over(db, {TaskId(run.partition(".")[0]) for run in seen}, before)
    old = tuple(run for run in seen if run.partition(".")[0] in over)
    return Batch(rows=old, last=after, more=len(seen) == RUNS)


def tasks_over(db: Connection, tasks: Collection[TaskId], before: datetime) -> set[TaskId]:
    """Those of these tasks whose last fact is older than this and which have ended."""
    return {TaskId(task) for task in db.execute(_ended(before).where(_S.c.stream.in_(tasks))).scalars()}


def _ended(before: datetime) -> Select[Any]:
    last = (_E.c.stream == _S.c.stream) & (_E.c.version == _S.c.version - 1)
    return select(_S.c.stream).join(_E, last).where(_S.c.ended, _E.c.at < seconds(before))


def tasks_taken(db: Connection, tasks: Collection[TaskId]) -> set[TaskId]:
    """Those in which a person took something over."""
    taken = select(_E.c.stream).where(_E.c.stream.in_(tasks), _E.c.kind.in_(TAKEN)).distinct()
    return {TaskId(task) for task in db.execute(taken).scalars()}


def _prune_turns(db: Connection, rows: tuple[str, ...]) -> None:
    db.execute(delete(_R).where(_R.c.run.in_(rows)))


def _prune_deliveries(db: Connection, rows: tuple[int, ...]) -> None:
    """One that decided something stays, for every decision refers to what a person sent, but says nothing any more."""
    settled = (_D.c.seq.in_(rows), _D.c.state != DeliveryState.RECEIVED)
    decided = select(_C.c.id).where(_C.c.delivery == _D.c.key).exists()
    stays = or_(_D.c.kind.in_(_TAKEN_ON), decided)
    db.execute(update(_D).where(*settled, stays).values(body=""))
    db.execute(delete(_D).where(*settled, ~stays))


def _prune_messages(db: Connection, rows: tuple[int, ...]) -> None:
    """Those of a thread in which a task is open stay until it has ended."""
    at_work = select(_T.c.thread).join(_S, _S.c.stream == _T.c.task).where(_S.c.ended.is_(False))
    db.execute(delete(_M).where(_M.c.id.in_(rows), _M.c.thread.not_in(at_work)))


Find = Callable[[Connection, Any, datetime], Batch]
Remove = Callable[[Connection, tuple[Any, ...]], None]
# By their names in the retention settings: how old rows are found, and how they are removed.
PRUNED: dict[str, tuple[Find, Remove]] = {
    "messages": (lambda db, after, before: _next(db, _M.c.id, _M.c.at, after, before), _prune_messages),
    "turns": (_next_runs, _prune_turns),
    "deliveries": (lambda db, after, before: _next(db, _D.c.seq, _D.c.received_at, after, before), _prune_deliveries),
}


Line = dict[str, Any]  # the name of a table, and one of its rows


def tasks_to_archive(db: Connection, before: datetime, limit: int = 20) -> list[TaskId]:
    """Tasks that ended before this, that nothing runs for, and that nothing that was learnt came of or belongs to."""
    unread = select(tables.cursors.c.seq).where(tables.cursors.c.seq < _E.c.seq).exists()
    at_work = select(_J.c.id).where(_J.c.stream == _S.c.stream, _J.c.state.in_(UNFINISHED)).exists()
    proposed = select(_P.c.id).where(or_(_P.c.task == _S.c.stream, _P.c.carried_out_by == _S.c.stream)).exists()
    taught = [select(table.c.task).where(table.c.task == _S.c.stream).exists() for table in (skills, notes)]
    elsewhere = select(_C.c.id).where(_C.c.task == _S.c.stream, _C.c.stream != _S.c.stream).exists()
    none = [~each for each in (unread, at_work, proposed, *taught, elsewhere)]
    wanted = _ended(before).where(*none).order_by(_S.c.number).limit(limit)
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
    own |= {table: table.c.task == task for table in (tables.listings, _C, tables.evaluations, tables.runs)}
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


def facts_in(lines: Sequence[Line]) -> list[e.Event]:
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
