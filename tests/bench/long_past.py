"""A program with a long past beside one with a short: what one look for something to do costs, when there is nothing.

Both have done everything there was: facts read, deliveries settled, jobs finished, posts sent; 10 of each, or 10,000.
A look asks each of the pumps' questions once: what to settle, launch, announce, send, run and fire, and when next.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from statistics import median

from agents.domain import events as e
from agents.domain.ids import Thread
from agents.domain.task.task import Task
from bot.delivery import announcer
from bot.delivery.outbox import Outbox
from bot.intake.inbox import Inbox
from bot.live import ChangeNotifier
from bot.running.jobs import launch, settle_waiting
from bot.running.timers import Timers
from bot.services import Leases, Services
from store.chat.deliveries import DeliveryState, Received
from store.chat.posts import Wish
from store.codec import Cause
from store.running.leases import Lease
from store.transaction import Transaction
from tests.bench.floor import folder
from tests.bench.office import GENEROUS, OPERATOR, open_office, open_tasks
from tests.bench.rows import Row, Say, compared, in_turn

SHORT, LONG = 10, 10_000
AT_ONCE = 500
TIMES, ROUNDS = 20, 9


def run(say: Say) -> list[Row]:
    with folder() as place:
        return [asyncio.run(_measure(place, say))]


async def _measure(place: Path, say: Say) -> Row:
    async with AsyncExitStack() as stack:
        offices: dict[int, Services] = {}
        for size in (LONG, SHORT):
            (place / str(size)).mkdir()
            offices[size] = await stack.enter_async_context(open_office(place / str(size), ChangeNotifier()))
            await _live(offices[size], size)
            say(f"one program has a past of {size:,}")
        took: dict[int, list[float]] = {LONG: [], SHORT: []}
        for number in range(-1, ROUNDS):
            these: dict[int, list[list[float]]] = {LONG: [], SHORT: []}
            for at in range(TIMES):
                for size in in_turn(at, LONG, SHORT):
                    these[size].append(await _look(offices[size]))
            for size, looks in these.items():
                if number >= 0:  # the first warms up
                    took[size].append(sum(median(question) for question in zip(*looks, strict=True)))
    return compared("look_after_10000", took[LONG], took[SHORT], beside=f"after {SHORT} of everything", most=1.2)


async def _look(office: Services) -> list[float]:
    """The seconds of each question. Each waits for a thread, so their median counts and not that of their sum."""
    outbox, timers = Outbox(office, {}, Leases(office.clock)), Timers(office)
    database, now = office.database, office.clock.now
    questions: tuple[Callable[[], Awaitable[object]], ...] = (
        partial(settle_waiting, Inbox(office)),
        lambda: database.write(launch),
        lambda: database.write(lambda tx: announcer.announce(tx, office.permissions, now())),
        outbox.send_due,
        lambda: database.write(lambda tx: tx.jobs.claim(_lease(office), GENEROUS, 16)),
        timers.fire_due,
        lambda: outbox.next_due(now()),
        lambda: database.read(lambda tx: tx.jobs.next_try(now())),
    )
    took = []
    for question in questions:
        before = time.perf_counter()
        found = await question()
        took.append(time.perf_counter() - before)
        assert not found, f"there was something to do: {found}"
    return took


def _lease(office: Services) -> Lease:
    return Leases(office.clock).for_seconds(60)


async def _live(office: Services, size: int) -> None:
    (task,) = await open_tasks(office, 1)
    for start in range(0, size, AT_ONCE):
        numbers = range(start, min(size, start + AT_ONCE))
        await office.database.write(partial(_happen, task, numbers))
        await office.database.write(partial(_be_done, _lease(office)))


def _happen(task: Task, numbers: range, tx: Transaction) -> None:
    now, thread = datetime.now(UTC), Thread("console:past:1")
    for number in numbers:
        key = f"past-{number}"
        received = Received(
            key=key, kind="Said", body="", account=OPERATOR, channel="console:past", thread=thread, at=now
        )
        tx.deliveries.keep(received)
        tx.deliveries.settle(key, DeliveryState.HANDLED, "", now)
        tx.posts.want(Wish(key=key, thread=Thread(f"{thread}:{number}"), body="{}", hash=key), now)
    remark = e.RemarkMade(task=task.id, at=now, by=task.request.by, text="please keep the old endpoints")
    tx.log.append(task.id, [remark] * len(numbers), Cause(actor=OPERATOR, delivery="bench"))


def _be_done(lease: Lease, tx: Transaction) -> None:
    """What follows from the facts, done at once; status cards are not drawn here."""
    while unread := tx.log.unread("launcher", AT_ONCE):
        tx.jobs.ask(*((recorded, "intake", "") for recorded in unread))
        for reader in ("launcher", "announcer"):
            tx.log.mark_read(reader, unread[-1].seq)
    for job in tx.jobs.claim(lease, GENEROUS, 2 * AT_ONCE):
        tx.jobs.finish(job.id, job.fence)
    for post in tx.posts.claim(lease, GENEROUS, 2 * AT_ONCE):
        tx.posts.mark_sent(post, post.key, lease.at, GENEROUS)
