"""What was said in threads: our own copy, and for the console the original."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, func, or_, select, update

from agents.domain.ids import Account, Thread, derived
from store import tables
from store.codec import moment, seconds
from store.dialect import insert_once

_M = tables.messages


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    message: str
    thread: Thread
    by: str
    only_for: str
    text: str
    card: str
    at: datetime
    edited: bool
    seen: bool


class Messages:
    def __init__(self, db: Connection, touched: set[str]) -> None:
        self._db = db
        self._touched = touched

    def keep(self, thread: Thread, message: str, by: Account, text: str, at: datetime) -> None:
        """Copy a person's message."""
        row = {"thread": thread, "message": message, "by": by, "text": text, "at": seconds(at)}
        if insert_once(self._db, _M, row):
            self._touched.add(thread)

    def change(self, thread: Thread, message: str, text: str, at: datetime) -> str | None:
        """A person's message was edited. Returns its author, or None if we never saw it."""
        author = select(_M.c.by).where(_M.c.thread == thread, _M.c.message == message)
        found = self._db.execute(author).scalar()
        if found:
            self._set(thread, message, text=text, edited_at=seconds(at))
        return found

    def post(self, thread: Thread, key: str, card: str, at: datetime, only_for: str = "") -> str:
        """Put a card of the bot into a console thread. The same key is the same message."""
        message = derived("message", thread, key)
        row = {"thread": thread, "message": message, "key": key, "card": card, "at": seconds(at), "only_for": only_for}
        if insert_once(self._db, _M, row):
            self._touched.add(thread)
        return message

    def edit(self, thread: Thread, message: str, card: str, at: datetime) -> bool:
        return self._set(thread, message, card=card, edited_at=seconds(at))

    def mark_seen(self, thread: Thread, message: str) -> bool:
        return self._set(thread, message, seen=True)

    def find(self, thread: Thread, key: str) -> str | None:
        found = self._db.execute(select(_M.c.message).where(_M.c.thread == thread, _M.c.key == key)).scalar()
        return found or None

    def in_thread(self, thread: Thread, viewer: Account, limit: int = 500) -> list[Kept]:
        """What one person may read in a thread, oldest first."""
        wanted = self._visible(select(_M), thread, viewer).order_by(_M.c.id.desc()).limit(limit)
        return [
            Kept(
                message=row.message,
                thread=thread,
                by=row.by,
                only_for=row.only_for,
                text=row.text,
                card=row.card,
                at=moment(row.at),
                edited=row.edited_at is not None,
                seen=row.seen,
            )
            for row in self._db.execute(wanted)
        ][::-1]

    def last_said(self, thread: Thread) -> str | None:
        """The platform's id of the last message of a person in a thread."""
        wanted = select(_M.c.message).where(_M.c.thread == thread, _M.c.by != "").order_by(_M.c.id.desc()).limit(1)
        return self._db.execute(wanted).scalar()

    def first_of(self, thread: Thread) -> str | None:
        """The lowest of the platform's ids of messages in a thread."""
        return self._db.execute(select(func.min(_M.c.message)).where(_M.c.thread == thread)).scalar()

    def count(self, thread: Thread, viewer: Account) -> int:
        return int(self._db.execute(self._visible(select(func.count(_M.c.id)), thread, viewer)).scalar() or 0)

    @staticmethod
    def _visible(wanted, thread: Thread, viewer: Account):  # type: ignore[no-untyped-def]
        return wanted.where(_M.c.thread == thread, or_(_M.c.only_for == "", _M.c.only_for == viewer))

    def _set(self, thread: Thread, message: str, **values: object) -> bool:
        change = update(_M).where(_M.c.thread == thread, _M.c.message == message).values(**values)
        found = self._db.execute(change).rowcount == 1
        if found:
            self._touched.add(thread)
        return found
