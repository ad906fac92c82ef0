"""Removes what is older than people want it kept, a bounded batch at a time."""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import datetime
from itertools import takewhile
from typing import Any

from sqlalchemy import Column, Connection, delete, func, or_, select, update

from agents.domain import events as e
from agents.domain.ids import TaskId
from store import tables
from store.chat.deliveries import DeliveryState
from store.codec import seconds

_D, _M, _T, _S = tables.deliveries, tables.messages, tables.threads, tables.snapshots
_E, _R = tables.events, tables.turns
BATCH = 200
RUNS = 20  # of minions; each has many long turns
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
    last = (_E.c.stream == _S.c.stream) & (_E.c.version == _S.c.version - 1)
    ended = select(_S.c.stream).join(_E, last).where(_S.c.stream.in_(tasks), _S.c.ended, _E.c.at < seconds(before))
    return {TaskId(task) for task in db.execute(ended).scalars()}


def tasks_taken(db: Connection, tasks: Collection[TaskId]) -> set[TaskId]:
    """Those in which a person took something over."""
    taken = select(_E.c.stream).where(_E.c.stream.in_(tasks), _E.c.kind.in_(TAKEN)).distinct()
    return {TaskId(task) for task in db.execute(taken).scalars()}


def _prune_turns(db: Connection, rows: tuple[str, ...]) -> None:
    db.execute(delete(_R).where(_R.c.run.in_(rows)))


def _prune_deliveries(db: Connection, rows: tuple[int, ...]) -> None:
    """One that decided something stays, for every decision refers to what a person sent, but says nothing any more."""
    settled = (_D.c.seq.in_(rows), _D.c.state != DeliveryState.RECEIVED)
    decided = select(tables.decisions.c.id).where(tables.decisions.c.delivery == _D.c.key).exists()
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
