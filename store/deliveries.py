"""What came in: stored before it is acknowledged, settled once."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from sqlalchemy import Connection, bindparam, func, or_, select, update

from store import tables
from store.codec import moment, seconds
from store.dialect import insert_once

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


_TO_SETTLE = select(_D).where(_D.c.state == DeliveryState.RECEIVED).order_by(_D.c.seq).limit(bindparam("most"))
_SETTLE = (
    update(_D)
    .where(_D.c.key == bindparam("which"), _D.c.state == DeliveryState.RECEIVED)
    .values(state=bindparam("now"), outcome=bindparam("why"), settled_at=bindparam("when"))
)


class Deliveries:
    def __init__(self, db: Connection, touched: set[str]) -> None:
        self._db = db
        self._touched = touched

    def keep(self, received: Received) -> bool:
        """Store a delivery. False: it came before, under this key or its second one."""
        keys = [key for key in (received.key, received.also) if key]
        known = select(_D.c.seq).where(or_(_D.c.key.in_(keys), _D.c.also.in_(keys))).limit(1)
        if self._db.execute(known).scalar() is not None:
            return False
        row = {
            "key": received.key,
            "also": received.also or None,
            "kind": received.kind,
            "body": received.body,
            "account": received.account,
            "channel": received.channel,
            "thread": received.thread,
            "state": DeliveryState.RECEIVED,
            "received_at": seconds(received.at),
        }
        new = insert_once(self._db, _D, row)
        if new:
            self._touched.add("deliveries")
        return new

    def to_settle(self, limit: int = 100) -> list[Received]:
        """What was received and not settled, oldest first."""
        return [
            Received(
                key=row.key,
                also=row.also or "",
                kind=row.kind,
                body=row.body,
                account=row.account,
                channel=row.channel,
                thread=row.thread,
                at=moment(row.received_at),
            )
            for row in self._db.execute(_TO_SETTLE, {"most": limit})
        ]

    def settle(self, key: str, state: DeliveryState, outcome: str, at: datetime) -> bool:
        """End a delivery. False: somebody else settled it first."""
        row = {"which": key, "now": state, "why": outcome, "when": seconds(at)}
        self._touched.add("settled")
        return self._db.execute(_SETTLE, row).rowcount == 1

    def failed(self, key: str) -> int:
        """Count a failed try at settling, and say how many there were."""
        self._db.execute(update(_D).where(_D.c.key == key).values(attempts=_D.c.attempts + 1))
        return int(self._db.execute(select(_D.c.attempts).where(_D.c.key == key)).scalar() or 0)

    def state(self, key: str) -> tuple[DeliveryState, str] | None:
        row = self._db.execute(select(_D.c.state, _D.c.outcome).where(_D.c.key == key)).one_or_none()
        return (DeliveryState(row.state), row.outcome) if row else None

    def count(self, since: datetime, *, account: str = "", channel: str = "") -> int:
        wanted = select(func.count()).select_from(_D).where(_D.c.received_at > seconds(since))
        if account:
            wanted = wanted.where(_D.c.account == account)
        if channel:
            wanted = wanted.where(_D.c.channel == channel)
        return int(self._db.execute(wanted).scalar() or 0)
