"""A store with open tasks, as the program keeps it, for benchmarks to work on."""

import asyncio
import gc
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from agents.domain.decisions.kind import Moment
from agents.domain.ids import Account, Thread
from agents.domain.limits import Limits
from agents.domain.task import decide
from agents.domain.task.facts import Request
from agents.domain.task.task import Task
from bot.app import TURN
from bot.live import ChangeNotifier
from bot.permissions import Permissions
from bot.services import Services, SystemClock
from store.codec import Cause
from store.database import Database
from store.transaction import Transaction

OPERATOR = Account("console:operator")
GENEROUS = Limits(quota_per_person=10_000, quota_per_channel=10_000)  # nobody in a benchmark is sent away


@asynccontextmanager
async def open_office(place: Path, bell: ChangeNotifier) -> AsyncIterator[Services]:
    sys.setswitchinterval(TURN)  # as in the program
    bell.attach()
    database = Database(f"sqlite:///{place / 'overlord.db'}", bell.notify)
    permissions = Permissions({}, frozenset({OPERATOR}))
    gc.freeze()  # too
    try:
        yield Services(database=database, permissions=permissions, clock=SystemClock(), limits=GENEROUS)
    finally:
        await asyncio.to_thread(database.close)


async def open_tasks(office: Services, count: int) -> list[Task]:
    return [await office.database.write(partial(_open, number)) for number in range(count)]


def owner_of(task: Task) -> Account:
    """Each task is somebody else's, in a channel of its own."""
    return Account(task.request.channel.replace("room", "person"))


def _open(number: int, tx: Transaction) -> Task:
    key, channel, account = f"open-{number}", f"console:room-{number}", Account(f"console:person-{number}")
    at, thread = datetime.now(UTC), Thread(f"{channel}:1")
    owner = tx.people.of(account, f"Person {number}").id
    request = Request(text=f"add rate limiting to service {number}", by=owner, thread=thread, channel=channel, at=at)
    tx.threads.start(thread, channel, account, at)
    facts = decide.open_task(tx.log.next_id(), request, Moment(at=at, cause=key))
    task = tx.log.open(facts, Cause(actor=account, delivery=key))
    tx.threads.bind(thread, task.id)
    return task
