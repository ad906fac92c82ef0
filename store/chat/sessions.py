"""Who is signed in at the console: a row a session, found by the hash of its cookie, gone when it ends."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, delete, func, insert, select

from store import tables
from store.codec import moment, seconds

_S, _T = tables.sessions, tables.tokens
_SHORT = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    key: str  # the SHA-256 of the cookie
    login: str
    began_at: datetime
    until: datetime
    address: str = ""
    agent: str = ""  # what the browser calls itself

    @property
    def id(self) -> str:
        """For people to name it by; it opens nothing."""
        return self.key[:_SHORT]


class Sessions:
    def __init__(self, db: Connection) -> None:
        self._db = db

    def begin(self, session: Session, token_hash: str) -> bool:
        """If that is the token of this login now. Whatever has run out goes, so that the table stays short."""
        known = self._db.execute(select(_T.c.hash).where(_T.c.login == session.login)).scalar()
        if known is None or not secrets.compare_digest(known, token_hash):
            return False
        self._db.execute(delete(_S).where(_S.c.until <= seconds(session.began_at)))
        times = {"began_at": seconds(session.began_at), "until": seconds(session.until)}
        about = {"key": session.key, "login": session.login, "address": session.address, "agent": session.agent}
        self._db.execute(insert(_S).values(**about, **times))
        return True

    def find(self, key: str, at: datetime) -> Session | None:
        row = self._db.execute(select(_S).where(_S.c.key == key, _S.c.until > seconds(at))).one_or_none()
        return _read(row._asdict()) if row else None

    def list(self, at: datetime, login: str = "") -> "Sequence[Session]":
        """Those that are open, of one login or of all, the newest first."""
        wanted = select(_S).where(_S.c.until > seconds(at)).order_by(_S.c.login, _S.c.began_at.desc(), _S.c.key)
        rows = self._db.execute(wanted.where(_S.c.login == login) if login else wanted).all()
        return [_read(row._asdict()) for row in rows]

    def end(self, login: str, id: str = "") -> int:
        """One of this login's, or all of them. Says how many there were."""
        mine = delete(_S).where(_S.c.login == login)
        return self._db.execute(mine.where(func.substr(_S.c.key, 1, _SHORT) == id) if id else mine).rowcount


def _read(row: dict[str, Any]) -> Session:
    return Session(**{**row, "began_at": moment(row["began_at"]), "until": moment(row["until"])})
