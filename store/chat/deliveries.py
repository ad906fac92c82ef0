"""What came in: stored before it is acknowledged, settled once."""

import json
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from sqlalchemy import String, bindparam, or_, select, text, update

from agents.domain.ids import Thread
from store import tables
from store.codec import moment, seconds
from store.sql import Prepared, TransactionPart, insert_once

_D = tables.deliveries


class DeliveryState(StrEnum):
    RECEIVED = "received"
    HANDLED = "handled"
    IGNORED = "ignored"  # not for the bot, or more than the quota
    REFUSED = "refused"  # a press or a command that may not count; the outcome says why
    PARKED = "parked"  # could not be handled; the outcome says why


@dataclass(frozen=True, slots=True, kw_only=True)
class Received:
    key: str
    also: str = ""
    kind: str
    body: str
    account: str
    channel: str
    thread: str
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class LastPlace:
    thread: Thread
    direct: bool


_KEYS = (bindparam("key", type_=String), bindparam("also", type_=String))
_KNOWN = Prepared(select(_D.c.seq).where(or_(*(column == key for column in (_D.c.key, _D.c.also) for key in _KEYS))))
_STATE = Prepared(select(_D.c.state, _D.c.outcome).where(_D.c.key == bindparam("which")))
# As text: those few have an index each, which SQLite uses only where it can read the state in the question.
WAITING, PARKED = (text(f"deliveries.state = '{state}'") for state in (DeliveryState.RECEIVED, DeliveryState.PARKED))
_AS_RECEIVED = ("key", "also", "kind", "body", "account", "channel", "thread")
_TO_SETTLE = Prepared(
    select(_D.c.received_at, *(_D.c[name] for name in _AS_RECEIVED))
    .where(WAITING)
    .order_by(_D.c.seq)
    .limit(bindparam("most"))
)
_SETTLE = Prepared(
    update(_D)
    .where(_D.c.key == bindparam("which"), _D.c.state == DeliveryState.RECEIVED)
    .values(state=bindparam("now"), outcome=bindparam("why"), settled_at=bindparam("when"))
)


class Deliveries(TransactionPart):
    def keep(self, received: Received) -> bool:
        """Store a delivery. False: it came before, under this key or its second one."""
        if _KNOWN.run(self._db, {"key": received.key, "also": received.also or received.key}).fetchone():
            return False
        row = {name: getattr(received, name) for name in _AS_RECEIVED}
        news = {"also": received.also or None, "state": DeliveryState.RECEIVED, "received_at": seconds(received.at)}
        new = insert_once(self._db, _D, row | news)
        if new:
            self._touched.add("deliveries")
        return new

    def to_settle(self, limit: int = 100) -> list[Received]:
        """What was received and not settled, oldest first."""
        found = []
        for at, *values in _TO_SETTLE.run(self._db, {"most": limit}).fetchall():
            row = dict(zip(_AS_RECEIVED, values, strict=True))
            found.append(Received(at=moment(at), **{**row, "also": row["also"] or ""}))
        return found

    def has_words_in(self, thread: Thread) -> bool:
        """Whether something was said there that nobody has read yet."""
        unread = select(_D.c.seq).where(WAITING, _D.c.thread == thread, _D.c.kind == "Said").limit(1)
        return self._db.execute(unread).first() is not None

    def settle(self, key: str, state: DeliveryState, outcome: str, at: datetime) -> bool:
        """End a delivery. False: somebody else settled it first."""
        row = {"which": key, "now": str(state), "why": outcome, "when": seconds(at)}
        self._touched.add("settled")
        return _SETTLE.run(self._db, row).rowcount == 1

    def count_failure(self, key: str) -> int:
        """Count a failed try at settling, and say how many there were."""
        self._db.execute(update(_D).where(_D.c.key == key).values(attempts=_D.c.attempts + 1))
        return int(self._db.execute(select(_D.c.attempts).where(_D.c.key == key)).scalar() or 0)

    def last_place(self, account: str, among: int = 50) -> LastPlace | None:
        """Where somebody last spoke to the bot alone; if they never did of late, where they last spoke."""
        wanted = select(_D.c.thread, _D.c.body).where(_D.c.account == account, _D.c.kind == "Said", _D.c.body != "")
        found = self._db.execute(wanted.order_by(_D.c.received_at.desc()).limit(among)).all()
        places = [
            LastPlace(thread=Thread(row.thread), direct=bool(json.loads(row.body).get("direct"))) for row in found
        ]
        return next((place for place in places if place.direct), places[0] if places else None)

    def find(self, key: str) -> Received | None:
        """As it was received; None where it is not kept any more."""
        columns = (_D.c.received_at, *(_D.c[name] for name in _AS_RECEIVED))
        row = self._db.execute(select(*columns).where(_D.c.key == key, _D.c.body != "")).one_or_none()
        if row is None:
            return None
        at, *values = row
        known = dict(zip(_AS_RECEIVED, values, strict=True))
        return Received(at=moment(at), **{**known, "also": known["also"] or ""})

    def state(self, key: str) -> tuple[DeliveryState, str] | None:
        row = _STATE.run(self._db, {"which": key}).fetchone()
        return (DeliveryState(row[0]), row[1]) if row else None
