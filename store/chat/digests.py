"""When each person wants to be written to, and which decisions their last digest showed."""

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from sqlalchemy import Column, Double, Integer, Row, String, Table, Text, func, select

from agents.domain.hours import Hours
from agents.domain.ids import Account, DecisionId, PersonId, Thread
from store import tables
from store.codec import moment, seconds
from store.sql import TransactionPart, upsert

digests = Table(
    "digests",
    tables.metadata,
    Column("person", String, primary_key=True),
    Column("account", String, nullable=False, server_default=""),
    Column("thread", String, nullable=False, server_default=""),
    Column("memberships", Text, nullable=False, server_default="[]"),
    Column("digest", Integer),
    Column("quiet_from", Integer),
    Column("quiet_to", Integer),
    Column("zone", String, nullable=False, server_default="UTC"),
    Column("due", Double, index=True),
    Column("shown", Text, nullable=False, server_default="[]"),
    Column("shown_in", String, nullable=False, server_default=""),
)
_D = digests
NOBODY, NOWHERE = Account(""), Thread("")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reader:
    """One person. `thread` is their direct one; `due`: when their next digest is; `shown`: what their last one asked,
    as far as it is still as it was shown, in the thread `shown_in`."""

    person: PersonId
    account: Account = NOBODY
    thread: Thread = NOWHERE
    memberships: tuple[str, ...] = ()
    hours: Hours = field(default_factory=Hours)
    due: datetime | None = None
    shown: tuple[str, ...] = ()  # `day:decision`
    shown_in: Thread = NOWHERE


class Digests(TransactionPart):
    def of(self, people: Collection[PersonId]) -> Reader | None:
        """By any id that a person has had."""
        row = self._db.execute(select(_D).where(_D.c.person.in_(people)).limit(1)).first()
        return _reader(row) if row else None

    def save(self, reader: Reader, at: datetime) -> Reader:
        """With its next digest counted from now."""
        due = reader.hours.next_digest(at)
        self._write(replace(reader, due=due))
        self._touched.add("digests")
        return replace(reader, due=due)

    def note_sent(self, reader: Reader, at: datetime, shown: Sequence[DecisionId], day: str) -> None:
        """Once a day: the next one is another day's, whatever clocks did meanwhile."""
        now_shown = tuple(f"{day}:{id}" for id in shown)
        self._write(replace(reader, due=reader.hours.next_digest(at), shown=now_shown, shown_in=reader.thread))

    def put_off(self, reader: Reader, until: datetime) -> None:
        self._write(replace(reader, due=until))

    def settle(self, reader: Reader, shown: tuple[str, ...]) -> None:
        self._write(replace(reader, shown=shown))

    def due(self, at: datetime) -> list[Reader]:
        return [_reader(row) for row in self._db.execute(select(_D).where(_D.c.due <= seconds(at)))]

    def showing(self) -> list[Reader]:
        """Those whose last digest asked something that may have been answered since."""
        return [_reader(row) for row in self._db.execute(select(_D).where(_D.c.shown != "[]"))]

    def next_due(self) -> datetime | None:
        soonest = self._db.execute(select(func.min(_D.c.due))).scalar()
        return None if soonest is None else moment(soonest)

    def _write(self, reader: Reader) -> None:
        begin, end = reader.hours.quiet or (None, None)
        row = {
            "person": reader.person,
            "account": reader.account,
            "thread": reader.thread,
            "memberships": json.dumps(reader.memberships),
            "digest": reader.hours.digest,
            "quiet_from": begin,
            "quiet_to": end,
            "zone": reader.hours.zone,
            "due": seconds(reader.due) if reader.due else None,
            "shown": json.dumps(reader.shown),
            "shown_in": reader.shown_in,
        }
        upsert(self._db, digests, row)


def _reader(row: Row[Any]) -> Reader:
    quiet = None if row.quiet_from is None or row.quiet_to is None else (row.quiet_from, row.quiet_to)
    return Reader(
        person=PersonId(row.person),
        account=Account(row.account),
        thread=Thread(row.thread),
        memberships=tuple(json.loads(row.memberships)),
        hours=Hours(digest=row.digest, quiet=quiet, zone=row.zone),
        due=None if row.due is None else moment(row.due),
        shown=tuple(json.loads(row.shown)),
        shown_in=Thread(row.shown_in),
    )
