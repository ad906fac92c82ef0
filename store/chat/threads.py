"""Threads: which task each is about, who talks to the bot in it, and our own copy of what was said.

For the console that copy is the original.
"""

import json
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, bindparam, func, or_, select, update

from agents.domain.ids import Account, TaskId, Thread, derive_id
from store import tables
from store.codec import from_row, moment, seconds
from store.sql import Prepared, TransactionPart, insert_once

_T, _M = tables.threads, tables.messages
_OPEN = _T.c.task.in_(select(tables.snapshots.c.stream).where(tables.snapshots.c.ended.is_(False)))
_FIND = Prepared(
    select(_T.c.channel, _T.c.task, _T.c.starter, _T.c.mentioners, _T.c.elsewhere).where(
        _T.c.thread == bindparam("which")
    )
)
_HEARD = Prepared(
    update(_T)
    .where(_T.c.thread == bindparam("which"))
    .values(mentioners=bindparam("who"), elsewhere=bindparam("away"), changed_at=bindparam("when"))
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreadNotes:
    thread: Thread
    channel: str
    task: TaskId | None
    starter: Account
    mentioners: frozenset[Account]
    elsewhere: bool  # someone else was addressed since the bot was


class Threads(TransactionPart):
    def find(self, thread: Thread) -> ThreadNotes | None:
        row = _FIND.run(self._db, {"which": thread}).fetchone()
        if row is None:
            return None
        channel, task, starter, mentioners, elsewhere = row
        return ThreadNotes(
            thread=thread,
            channel=channel,
            task=TaskId(task) if task else None,
            starter=Account(starter),
            mentioners=frozenset(Account(a) for a in json.loads(mentioners)),
            elsewhere=bool(elsewhere),
        )

    def start(self, thread: Thread, channel: str, starter: Account, at: datetime) -> None:
        row = {"thread": thread, "channel": channel, "starter": starter, "elsewhere": False, "changed_at": seconds(at)}
        insert_once(self._db, _T, row)

    def save_notes(self, notes: ThreadNotes, at: datetime) -> None:
        """Keep who has mentioned the bot and whom the talk was last put to."""
        who = json.dumps(sorted(notes.mentioners))
        values = {"which": notes.thread, "who": who, "away": notes.elsewhere, "when": seconds(at)}
        _HEARD.run(self._db, values)

    def bind(self, thread: Thread, task: TaskId) -> None:
        self._db.execute(update(_T).where(_T.c.thread == thread).values(task=task))

    def latest(self, channel: str, limit: int | None, skip: int = 0) -> list[Thread]:
        """The threads of a channel that were last spoken in, oldest of them first."""
        newest = select(_T.c.thread).where(_T.c.channel == channel).order_by(_T.c.changed_at.desc())
        wanted = newest.limit(limit).offset(skip or None)
        return [Thread(t) for t in self._db.execute(wanted).scalars()][::-1]

    def spoken_in(self, surface: str, since: datetime) -> list[Thread]:
        """Threads of a platform in which somebody spoke since then or a task is open, and the last one of all."""
        mine = _of(surface)
        wanted = select(_T.c.thread).where(mine, (_T.c.changed_at > seconds(since)) | _OPEN)
        last = select(_T.c.thread).where(mine).order_by(_T.c.changed_at.desc()).limit(1)
        found = [*self._db.execute(last).scalars(), *self._db.execute(wanted).scalars()]
        return [Thread(thread) for thread in dict.fromkeys(found)]

    def with_open_tasks(self, surface: str) -> list[Thread]:
        found = self._db.execute(select(_T.c.thread).where(_of(surface), _OPEN)).scalars()
        return [Thread(thread) for thread in found]


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


class Messages(TransactionPart):
    def keep(self, thread: Thread, message: str, by: Account, text: str, at: datetime) -> None:
        """Copy a person's message."""
        row = {"thread": thread, "message": message, "by": by, "text": text, "at": seconds(at)}
        if insert_once(self._db, _M, row):
            self._touched.add(thread)

    def change(self, thread: Thread, message: str, text: str, at: datetime) -> None:
        """A person's message was edited; nothing happens if we never saw it."""
        author = select(_M.c.by).where(_M.c.thread == thread, _M.c.message == message)
        if self._db.execute(author).scalar():
            self._set(thread, message, text=text, edited_at=seconds(at))

    def post(self, thread: Thread, key: str, card: str, at: datetime, only_for: str = "") -> str:
        """Put a card of the bot into a console thread. The same key is the same message."""
        message = derive_id("message", thread, key)
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

    def in_thread(self, thread: Thread, viewer: Account, last: int) -> tuple[list[Kept], int]:
        """What one person may read in a thread, oldest first: its first message, then so many of the last.

        Returns also how many there are between them.
        """
        mine = (_M.c.thread == thread, or_(_M.c.only_for == "", _M.c.only_for == viewer))
        rows = [*self._db.execute(select(_M).where(*mine).order_by(_M.c.id.desc()).limit(last + 1))][::-1]
        if len(rows) <= last:
            return [_kept(row) for row in rows], 0
        first = self._db.execute(select(_M).where(*mine).order_by(_M.c.id).limit(1)).one()
        count = self._db.execute(select(func.count()).where(*mine)).scalar_one()
        return [_kept(row) for row in (first, *rows[1:])], count - 1 - last

    def last_said(self, thread: Thread) -> str | None:
        """The platform's id of the last message of a person in a thread."""
        wanted = select(_M.c.message).where(_M.c.thread == thread, _M.c.by != "").order_by(_M.c.id.desc()).limit(1)
        return self._db.execute(wanted).scalar()

    def comes_before(self, thread: Thread, first: str, second: str) -> bool:
        """Whether one message was kept before the other; false where we have no copy of one."""
        wanted = select(_M.c.message).where(_M.c.thread == thread, _M.c.message.in_([first, second]))
        return self._db.execute(wanted.order_by(_M.c.id)).scalars().all() == [first, second]

    def first_of(self, thread: Thread) -> str | None:
        """The lowest of the platform's ids of messages in a thread."""
        return self._db.execute(select(func.min(_M.c.message)).where(_M.c.thread == thread)).scalar()

    def _set(self, thread: Thread, message: str, **values: object) -> bool:
        change = update(_M).where(_M.c.thread == thread, _M.c.message == message).values(**values)
        found = self._db.execute(change).rowcount == 1
        if found:
            self._touched.add(thread)
        return found


def _kept(row: Any) -> Kept:
    return from_row(Kept, row, at=moment(row.at), edited=row.edited_at is not None)


def _of(surface: str) -> ColumnElement[bool]:
    return _T.c.thread.startswith(f"{surface}:", autoescape=True)
