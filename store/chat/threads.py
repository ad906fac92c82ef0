"""Which task a thread is about, and who has been talking to the bot in it."""

import json
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, Connection, bindparam, select, update

from agents.domain.ids import Account, TaskId, Thread
from store import tables
from store.codec import seconds
from store.dialect import insert_once
from store.statements import Prepared

_T = tables.threads
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


class Threads:
    def __init__(self, db: Connection) -> None:
        self._db = db

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

    def heard(self, notes: ThreadNotes, at: datetime) -> None:
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


_OPEN = _T.c.task.in_(select(tables.snapshots.c.stream).where(tables.snapshots.c.ended.is_(False)))


def _of(surface: str) -> ColumnElement[bool]:
    return _T.c.thread.startswith(f"{surface}:", autoescape=True)
