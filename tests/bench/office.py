"""A store with open tasks, as the program keeps it, for benchmarks to work on."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from agents.domain import decide
from agents.domain.asking import Moment
from agents.domain.decide import Request
from agents.domain.ids import Account, TaskId, Thread
from agents.domain.limits import Limits
from agents.domain.task import Task
from bot.bell import Bell
from bot.clock import SystemClock
from bot.office import Office
from bot.permissions import Permissions
from store.books import Books
from store.codec import Cause
from store.database import Database

ANA = Account("console:ana")
CHANNEL = "console:general"
UNLIMITED = Limits(quota_per_person=10**9, quota_per_channel=10**9)


@asynccontextmanager
async def open_office(place: Path, bell: Bell) -> AsyncIterator[Office]:
    bell.attach()
    database = Database(f"sqlite:///{place / 'overlord.db'}", bell.ring)
    permissions = Permissions({}, frozenset({ANA}))
    try:
        yield Office(database=database, permissions=permissions, clock=SystemClock(), limits=UNLIMITED)
    finally:
        await asyncio.to_thread(database.close)


async def open_tasks(office: Office, count: int) -> list[Task]:
    return [await office.database.write(partial(_open, number)) for number in range(count)]


def _open(number: int, books: Books) -> Task:
    key, thread = f"open-{number}", Thread(f"{CHANNEL}:{number}")
    at = datetime.now(UTC)
    owner = books.people.of(ANA, "Ana").id
    request = Request(text=f"add rate limiting to service {number}", by=owner, thread=thread, channel=CHANNEL)
    books.threads.start(thread, CHANNEL, ANA, at)
    facts = decide.open_task(TaskId(books.log.next_id()), request, Moment(at=at, cause=key))
    task = books.log.open(facts, Cause(actor=ANA, delivery=key))
    books.threads.bind(thread, task.id)
    return task
