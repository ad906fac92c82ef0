"""Removes what is older than people want it kept, a bounded batch at a time."""

from collections.abc import Callable
from datetime import datetime
from itertools import takewhile

from sqlalchemy import Column, Connection, delete, or_, select, update

from agents.domain.records import dataclass
from store import tables
from store.codec import seconds
from store.deliveries import DeliveryState

_D, _M, _T, _S = tables.deliveries, tables.messages, tables.threads, tables.snapshots
BATCH = 200
# Their key alone says that an issue or a proposal was taken on, however long ago; what stood in them may go.
_TAKEN_ON = ("Labelled", "Mandated")


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """Rows that are old enough, in the order in which they were written."""

    rows: tuple[int, ...] = ()
    last: int = 0  # where the next batch begins


def _next(db: Connection, number: Column[int], at: Column[float], after: int, before: datetime) -> Batch:
    found = db.execute(select(number, at).where(number > after).order_by(number).limit(BATCH)).all()
    old = tuple(row[0] for row in takewhile(lambda row: row[1] < seconds(before), found))
    return Batch(rows=old, last=old[-1] if old else after)


def _prune_deliveries(db: Connection, rows: tuple[int, ...]) -> None:
    """One that decided something stays, for every decision refers to what a person sent, but says nothing any more."""
    settled = (_D.c.seq.in_(rows), _D.c.state != DeliveryState.RECEIVED)
    decided = select(tables.decisions.c.id).where(tables.decisions.c.delivery == _D.c.key).exists()
    stays = or_(_D.c.kind.in_(_TAKEN_ON), decided)
    db.execute(update(_D).where(*settled, stays).values(body=""))
    db.execute(delete(_D).where(*settled, ~stays))


def _prune_messages(db: Connection, rows: tuple[int, ...]) -> None:
    """Those of a thread in which a task is open stay until it has ended."""
    at_work = select(_T.c.thread).join(_S, _S.c.task == _T.c.task).where(_S.c.ended.is_(False))
    db.execute(delete(_M).where(_M.c.id.in_(rows), _M.c.thread.not_in(at_work)))


Find = Callable[[Connection, int, datetime], Batch]
Remove = Callable[[Connection, tuple[int, ...]], None]
# By their names in the retention settings: how old rows are found, and how they are removed.
PRUNED: dict[str, tuple[Find, Remove]] = {
    "messages": (lambda db, after, before: _next(db, _M.c.id, _M.c.at, after, before), _prune_messages),
    "deliveries": (lambda db, after, before: _next(db, _D.c.seq, _D.c.received_at, after, before), _prune_deliveries),
}
