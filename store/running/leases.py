"""Who holds what, until when. A holder that is gone loses it at once; a clock that jumped cannot keep it."""

import os
import socket
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from sqlalchemy import BindParameter, ColumnElement, Connection, Row, Table, and_, bindparam, func, or_, select, update

from agents.domain.limits import Limits
from store.codec import moment, seconds


@dataclass(frozen=True, slots=True, kw_only=True)
class Lease:
    owner: str
    at: datetime
    until: datetime
    dead: tuple[str, ...] = ()  # owners that are known to be gone
    busy: tuple[str, ...] = ()  # what this owner is at work on; whatever else it holds, it has lost sight of


def this_process() -> str:
    """Host, process id and when it started: a process id alone is used again."""
    return f"{socket.gethostname()}/{os.getpid()}/{_started(os.getpid())}"


def is_dead(owner: str) -> bool:
    """Whether an owner on this host is certainly gone. Of other hosts nothing is known."""
    host, pid, started = [*owner.split("/"), "", "", ""][:3]
    if host != socket.gethostname() or not pid.isdigit() or not Path("/proc/self/stat").exists():
        return False
    return _started(int(pid)) != started


def lease_parameters(lease: Lease, **more: object) -> dict[str, object]:
    """The values of a statement that asks what is free."""
    return {"owner": lease.owner, "now": seconds(lease.at), "dead": lease.dead, "busy": lease.busy, **more}


class LeaseStatements:
    """About the leases in a table. Statements are built once: that takes longer than to ask them.

    `held`: rows that somebody works on. `waits`: rows that may be begun at their `not_before`.
    """

    def __init__(self, table: Table, held: ColumnElement[bool], waits: ColumnElement[bool]) -> None:
        self._table = table
        late = table.c.lease_until > bindparam("latest")
        self.free = and_(held, _is_free(table))
        self.mine = and_(table.c.id == bindparam("which"), table.c.fence == bindparam("held"), held)
        self._owners = select(table.c.lease_owner).where(held).distinct()
        self._shorten = update(table).where(held, late).values(lease_until=bindparam("instead"))
        starts, ends = table.c.not_before, table.c.lease_until
        after: BindParameter[float] = bindparam("after")
        self._next = (
            select(func.min(starts)).where(waits, starts > after),
            select(func.min(ends)).where(held, ends > after),
        )

    def take(self, db: Connection, row: Row[Any], lease: Lease, **values: object) -> int:
        """Returns the fence, which whoever held it before does not know."""
        this = (column == getattr(row, column.name) for column in self._table.primary_key.columns)
        fence: int = row.fence + 1
        held = {"lease_owner": lease.owner, "lease_until": seconds(lease.until), "fence": fence}
        db.execute(update(self._table).where(*this).values({**held, **values}))
        return fence

    def owners(self, db: Connection) -> set[str]:
        return set(db.execute(self._owners).scalars())

    def next(self, db: Connection, after: datetime) -> datetime | None:
        """When something that cannot be begun yet may be, or a lease that runs has run out."""
        soonest = (db.execute(asked, {"after": seconds(after)}).scalar() for asked in self._next)
        known = [at for at in soonest if at is not None]
        return moment(min(known)) if known else None

    def shorten(self, db: Connection, now: float, limits: Limits, instead: float) -> None:
        """A lease that ends impossibly late was taken before the clock was set back: it gets so many seconds."""
        longest = max(limits.job_lease, limits.send_lease) + 1
        db.execute(self._shorten, {"latest": now + longest, "instead": now + instead})


def _is_free(table: Table) -> ColumnElement[bool]:
    """The lease in a row has run out or its holder is gone, for whoever asks with `lease_parameters`.

    An owner's own leases never run out while it is at work: if its clock jumps, it would race itself. One that it holds
    and knows nothing of is free at once: it was taken in a commit whose answer was lost.
    """
    mine = table.c.lease_owner == bindparam("owner")
    gone = table.c.lease_owner.in_(bindparam("dead", expanding=True))
    over = or_(table.c.lease_until <= bindparam("now"), gone)
    return or_(and_(mine, table.c.id.not_in(bindparam("busy", expanding=True))), and_(~mine, over))


def _started(pid: int) -> str:
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return ""
    return "" if fields[0] in ("Z", "X") else fields[19]  # field 22 of proc(5): ticks after boot
