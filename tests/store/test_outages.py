"""The store fails under the bot's parts for a moment: each goes on from where it was, and does nothing twice."""

import asyncio
from datetime import datetime
from functools import partial

import pytest
from sqlalchemy import text

from agents.domain.ids import Account, Thread
from agents.domain.limits import Limits
from agents.ports import Ports
from bot.delivery.announcer import wish
from bot.delivery.outbox import Outbox
from bot.intake.inbox import Inbox
from bot.messages import Bounds, Card, Said
from bot.permissions import Permissions
from bot.running.jobs import Jobs, launch, settle_waiting
from bot.running.scheduler import Scheduler
from bot.services import Leases, Services, SystemClock
from store.chat.posts import Wish
from store.database import Database, StoreUnavailable
from store.running.jobs import Job
from store.transaction import Transaction
from tests.store.room import ANA, CHANNEL, MORNING, open_task

QUICK = Limits(job_renewal=0.1)


@pytest.fixture(params=["sqlite"])
def url(request: pytest.FixtureRequest, tmp_path: object) -> str:
    """SQLite alone: its connection can be told to refuse one write."""
    return f"sqlite:///{tmp_path}/overlord.db"


@pytest.fixture
def office(database: Database) -> Services:
    return Services(database=database, permissions=Permissions({}, frozenset()), clock=SystemClock(), limits=QUICK)


async def fail_once(database: Database) -> None:
    """The next write that changes something fails, and takes its connection with it."""
    await database.write(_refuse)


def _refuse(tx: Transaction) -> None:
    tx.db.exec_driver_sql("PRAGMA query_only = ON")


async def test_a_write_that_fails_tells_so_and_the_next_one_is_written(database: Database) -> None:
    await fail_once(database)
    with pytest.raises(StoreUnavailable):
        await database.write(lambda tx: tx.people.of(ANA))
    assert await database.write(lambda tx: tx.people.of(ANA).accounts) == (ANA,)


async def test_settling_stops_at_an_outage_instead_of_trying_as_fast_as_it_can(office: Services) -> None:
    inbox = Inbox(office)
    for number in range(3):
        said = Said(
            key=str(number), thread=Thread(f"{CHANNEL}:{number}"), channel=CHANNEL, message=str(number), by=ANA,
            text="do it", mentions_bot=True, at=MORNING,
        )  # fmt: skip
        await inbox.accept(said)
    await fail_once(office.database)
    with pytest.raises(StoreUnavailable):
        await settle_waiting(inbox)
    assert len(await inbox.waiting()) == 3, "nothing was lost"
    assert await settle_waiting(inbox) == 3
    assert await inbox.waiting() == []


class Patient:
    """A job that waits; its lease is looked at meanwhile."""

    def __init__(self, office: Services) -> None:
        self.started = asyncio.Event()
        self.jobs = Jobs(office, self._ports, Leases(office.clock), Scheduler(office.clock))
        self._database = office.database

    async def _ports(self, job: Job) -> Ports:
        self.started.set()
        await asyncio.Event().wait()
        raise AssertionError("it waits for ever")

    async def lease(self) -> float:
        question = text("SELECT lease_until FROM jobs")
        return float(await self._database.read(lambda tx: tx.db.execute(question).scalar_one()))

    async def renewed(self) -> None:
        before, tries = await self.lease(), 500
        while await self.lease() <= before and tries:
            await asyncio.sleep(QUICK.job_renewal / 5)
            tries -= 1
        assert tries, "nobody renews it"


async def test_a_running_job_keeps_its_lease_through_an_outage(office: Services) -> None:
    at = datetime.now(MORNING.tzinfo)
    await office.database.write(lambda tx: open_task("k", ANA, CHANNEL, at, tx))
    await office.database.write(launch)
    patient = Patient(office)
    await patient.jobs.run_waiting()
    await patient.started.wait()
    await patient.renewed()
    await fail_once(office.database)
    await patient.renewed()
    await patient.jobs.stop()


class CountingPlatform:
    """Takes everything, and counts."""

    name = "slack"
    bounds = Bounds(title=300, text=12_000, rows=50, lines=200, buttons=25, label=80, whole=60_000)
    settle: float | None = None

    def __init__(self, database: Database) -> None:
        self.posts = 0
        self._database = database

    async def post(self, thread: Thread, key: str, card: Card) -> str:
        self.posts += 1
        await fail_once(self._database)
        return "m1"

    async def edit(self, thread: Thread, message: str, card: Card) -> None: ...

    async def find(self, thread: Thread, key: str) -> str | None:
        return None

    async def begin(self, channel: str, key: str, words: str) -> Thread:
        return Thread(f"{channel}:{key}")

    async def permalink(self, thread: Thread, message: str) -> str:
        return ""

    async def whisper(self, thread: Thread, to: Account, key: str, card: Card) -> None: ...

    async def mark_seen(self, thread: Thread, message: str) -> None: ...


async def test_a_post_that_went_out_is_remembered_though_the_store_failed_just_then(office: Services) -> None:
    platform = CountingPlatform(office.database)
    outbox = Outbox(office, {"slack": platform}, Leases(office.clock))
    thread = Thread("slack:C1:1")
    await office.database.write(lambda tx: tx.posts.want(wish("a", thread, Card(title="hello")), MORNING))
    assert await outbox.send_due() == 1
    assert await outbox.send_due() == 0
    known = await office.database.read(lambda tx: tx.posts.on_message(thread, "m1"))
    assert platform.posts == 1 and known is not None


class WellPlatform(CountingPlatform):
    async def post(self, thread: Thread, key: str, card: Card) -> str:
        self.posts += 1
        return "m1"


class HangingPlatform(CountingPlatform):
    """Answers when it is told to."""

    name = "discord"

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self.asked, self.answers = asyncio.Event(), asyncio.Event()

    async def post(self, thread: Thread, key: str, card: Card) -> str:
        self.posts += 1
        self.asked.set()
        await self.answers.wait()
        return "m2"


def _want(wished: Wish, tx: Transaction) -> None:
    tx.posts.want(wished, MORNING)


async def test_a_platform_that_hangs_holds_up_no_other_and_is_asked_once(office: Services) -> None:
    hanging, well = HangingPlatform(office.database), WellPlatform(office.database)
    steps = Outbox(office, {"discord": hanging, "slack": well}, Leases(office.clock)).steps()
    for key, thread in (("a", Thread("discord:1:2")), ("b", Thread("slack:C1:1")), ("c", Thread("console:general:1"))):
        wished = wish(key, thread, Card(title="hello"))
        await office.database.write(partial(_want, wished))
    slow = asyncio.ensure_future(steps["discord"]())
    await hanging.asked.wait()
    assert [await steps[name]() for name in ("slack", "nowhere", "slack")] == [1, 1, 0]
    hanging.answers.set()
    assert await slow == 1
    assert (hanging.posts, well.posts) == (1, 1)
