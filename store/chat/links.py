"""Codes and requests that make two accounts one person."""

import hashlib
from datetime import datetime

from sqlalchemy import Connection, delete, select

from agents.domain.errors import OverlordError
from agents.domain.ids import Account, DecisionId, Thread
from agents.domain.project.linking import LinkRequest, LinkState, Side
from store import tables
from store.codec import seconds, shape
from store.dialect import upsert

_C, _R = tables.links, tables.link_requests


class Links:
    def __init__(self, db: Connection) -> None:
        self._db = db

    def offer(self, side: Side, code: str, until: datetime) -> None:
        """Remember who asked, for whoever repeats this code from another account."""
        row = {"hash": _hash(code), "account": side.account, "thread": side.thread, "until": seconds(until)}
        upsert(self._db, _C, row, key=("hash",))

    def take(self, account: Account, code: str, at: datetime) -> Side:
        """Who made this code. It is used up."""
        wanted = _C.c.hash == _hash(code)
        row = self._db.execute(select(_C).where(wanted)).one_or_none()
        self._db.execute(delete(_C).where(wanted))
        if row is None or row.until < seconds(at) or row.account == account:
            raise OverlordError(
                "That code is not known, was used, or is too old",
                next_step="Say `link` to me from your other account to get a new one.",
            )
        return Side(account=Account(row.account), thread=Thread(row.thread))

    def save(self, request: LinkRequest) -> None:
        body = shape(LinkRequest).dump_json(request).decode()
        row = {"id": request.id, "state": request.state, "until": seconds(request.until), "body": body}
        upsert(self._db, _R, row, key=("id",))

    def find(self, id: DecisionId) -> LinkRequest | None:
        body = self._db.execute(select(_R.c.body).where(_R.c.id == id)).scalar()
        return shape(LinkRequest).validate_json(body) if body else None

    def open(self, at: datetime) -> list[LinkRequest]:
        """Requests that may still be answered."""
        wanted = select(_R.c.body).where(_R.c.state == LinkState.OPEN, _R.c.until >= seconds(at)).order_by(_R.c.until)
        return [shape(LinkRequest).validate_json(body) for body in self._db.execute(wanted).scalars()]


def _hash(code: str) -> str:
    return hashlib.sha256(code.upper().encode()).hexdigest()
