"""What can be seen from outside the bot: its tables, read over a connection that cannot write or tidy up."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, NullPool, Row, create_engine, func, select

from bot.messages import Card, load_card
from store import tables
from store.chat.deliveries import DeliveryState
from store.chat.posts import PostState
from store.running.jobs import UNFINISHED
from store.streams import audit

_E, _P, _D, _J, _M = tables.events, tables.posts, tables.deliveries, tables.jobs, tables.messages


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """One message of a thread, as everybody sees it."""

    message: str
    key: str  # of the bot's post
    by: str
    text: str
    card: Card | None
    seen: bool
    private: bool

    @property
    def title(self) -> str:
        return self.card.title if self.card else ""


class Glimpse:
    """The database at one instant."""

    def __init__(self, db: Connection) -> None:
        self.db = db

    @cached_property
    def facts(self) -> list[str]:
        return list(self.db.execute(select(_E.c.kind).order_by(_E.c.stream, _E.c.version)).scalars())

    @cached_property
    def stalled(self) -> list[str]:
        return list(audit.stalled_tasks(self.db))

    def rows(self, name: str) -> list[Row[Any]]:
        return list(self.db.execute(select(tables.metadata.tables[name])).all())

    def count(self, name: str) -> int:
        return int(self.db.execute(select(func.count()).select_from(tables.metadata.tables[name])).scalar() or 0)

    @cached_property
    def deliveries(self) -> dict[str, str]:
        """The state of each, by its key."""
        return {row.key: row.state for row in self.db.execute(select(_D.c.key, _D.c.state).order_by(_D.c.seq))}

    @property
    def states(self) -> list[str]:
        """Of deliveries, in the order they came."""
        return list(self.deliveries.values())

    def thread(self, thread: str) -> list[Shown]:
        """What stands in a thread, in the order it stands there."""
        return [
            Shown(
                message=row.message,
                key=row.key,
                by=row.by,
                text=row.text,
                card=load_card(row.card) if row.card else None,
                seen=row.seen,
                private=bool(row.only_for),
            )
            for row in self.db.execute(select(_M).where(_M.c.thread == thread).order_by(_M.c.id))
        ]

    @property
    def is_idle(self) -> bool:
        """Nothing that was received, wanted or asked for is left to do. Parked posts and jobs are done with."""
        left = (
            select(_D.c.seq).where(_D.c.state == DeliveryState.RECEIVED),
            select(_P.c.id).where(_P.c.state.in_([PostState.WAITING, PostState.SENDING])),
            select(_P.c.id).where(_P.c.state == PostState.SENT, _P.c.wanted != _P.c.shown),
            select(_J.c.id).where(_J.c.state.in_(UNFINISHED)),
        )
        return not any(self.db.execute(which.limit(1)).first() for which in left) and self._is_read

    @property
    def _is_read(self) -> bool:
        last = self.db.execute(select(func.max(_E.c.seq))).scalar() or 0
        read = [row.seq for row in self.rows("cursors") if row.reader in ("launcher", "announcer")]
        return not last or read == [last, last]

    def wrongs(self) -> list[str]:
        """What the audit finds: broken files or chains, tables that do not follow from the facts, stalled tasks."""
        found = [f"the file: {said}" for said in (audit.integrity(self.db),) if said]
        examined = audit.examine(self.db)
        found += [f"the chain of {task} breaks at {version}" for task, version in examined.broken]
        found += [f"not what the facts say: {where}" for where in examined.apart]
        return found + [f"nothing moves {task}" for task in audit.stalled_tasks(self.db)]


class Outside:
    """Opens a connection for each look, so that none is open when a bot is forked."""

    def __init__(self, database: Path) -> None:
        # mode=ro: the last reader to leave must not write the log back, as the dead bot could not
        self._file = database
        address = f"sqlite:///file:{database}?mode=ro&uri=true"
        self._engine = create_engine(address, poolclass=NullPool, connect_args={"isolation_level": None})

    @property
    def exists(self) -> bool:
        """Whether there is anything to look at: a bot may die before it has made its tables."""
        if not self._file.exists():
            return False
        with self._engine.connect() as db:
            return bool(db.exec_driver_sql("SELECT count(*) FROM sqlite_master WHERE name = 'events'").scalar())

    @contextmanager
    def look(self) -> Iterator[Glimpse]:
        with self._engine.connect() as db:
            db.exec_driver_sql("BEGIN")
            yield Glimpse(db)
