"""Who holds what, until when. A holder that is gone loses it at once; a clock that jumped cannot keep it."""

import os
import socket
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from sqlalchemy import ColumnElement, Table, or_

from agents.domain.limits import Limits
from store.codec import seconds


@dataclass(frozen=True, slots=True, kw_only=True)
class Lease:
    owner: str
    at: datetime
    until: datetime
    dead: tuple[str, ...] = ()  # owners that are known to be gone


def this_process() -> str:
    """Host, process id and when it started: a process id alone is used again."""
    return f"{socket.gethostname()}/{os.getpid()}/{_started(os.getpid())}"


def is_dead(owner: str) -> bool:
    """Whether an owner on this host is certainly gone. Of other hosts nothing is known."""
    host, _, rest = owner.partition("/")
    pid, _, started = rest.partition("/")
    if host != socket.gethostname() or not pid.isdigit() or not Path("/proc/self/stat").exists():
        return False
    return _started(int(pid)) != started


def is_free(table: Table, lease: Lease, limits: Limits) -> ColumnElement[bool]:
    """The lease in a row has run out, or its holder is gone, or it ends impossibly late (a clock was set back)."""
    now = seconds(lease.at)
    longest = max(limits.job_lease, limits.send_lease)
    return or_(
        table.c.lease_until <= now,
        table.c.lease_until > now + longest + 1,
        table.c.lease_owner.in_(lease.dead),
    )


def _started(pid: int) -> str:
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return ""
    return "" if fields[0] in ("Z", "X") else fields[19]  # field 22 of proc(5): ticks after boot
