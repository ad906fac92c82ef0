"""The tests of this folder are worth something only if they go red: six faults are planted, and each is seen.

A fault is planted by a variant of one part, made here; each trial is also run on the part as it is.
"""

import asyncio
import random
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path

import pytest
from sqlalchemy import Engine, create_engine, select, update

from agents.domain import events as e
from agents.domain.decisions.decision import Decision, DecisionState
from agents.domain.decisions.kind import Moment
from agents.domain.decisions.table import questions
from agents.domain.errors import OverlordError, StaleLease
from agents.domain.ids import DecisionId, TaskId, Thread
from agents.domain.limits import Limits
from agents.domain.task.task import Task
from agents.ports import Decide
from agents.workspace.files.artefacts import FileArtefacts
from bot.delivery.announcer import wish
from bot.delivery.outbox import Outbox
from bot.intake.inbox import Inbox, Outcome
from bot.live import ChangeNotifier
from bot.messages import Card, Delivery, Platform
from bot.platforms.console.server import running as console_running
from bot.platforms.console.sign_in import ConsoleOptions
from bot.queries.query_api import QueryApi
from bot.running.jobs import launch, settle_waiting
from bot.running.scheduler import Pump
from bot.services import Services
from store import tables
from store.chat.posts import Post
from store.codec import Cause, dump
from store.database import Database, InTransaction
from store.migrations import migrate
from store.running.jobs import Job
from store.running.leases import Lease
from store.running.port_adapters import JobLog
from store.sql import make_engines
from store.streams.ledger import Ledger
from store.transaction import Transaction
from tests.fakes.clock import ScaledClock
from tests.fakes.flaky_provider import Faults
from tests.fakes.ports import free_port
from tests.faults.console_trial import furnished
from tests.faults.deliveries_trial import Rush, lost, rush
from tests.faults.killing import Main, Ready, side_by_side
from tests.faults.outbox_trial import SCALE, Errand, Sent, office_in, run_errand
from tests.faults.tasks import NOW, a_task


def shows(trial: Callable[[int], object], tries: int = 8) -> bool:
    """A kill or a fault has to come at the right moment, so a planted fault is given several chances to be seen."""
    return any(trial(number) for number in range(tries))


# ── 1: the delivery is inserted after the acknowledgement ───────────────────────────────────────────────────────────


class LateInbox(Inbox):
    """Acknowledges at once and stores when there is time, as a listener that works after the ack does."""

    async def outcome(self, delivery: Delivery, within: float) -> Outcome | None:
        self.later = asyncio.create_task(super().outcome(delivery, within))
        return None


def a_console(home: Path, make_inbox: Callable[[Services], Inbox]) -> Main:
    """The console and what settles its deliveries; nothing else runs."""
    port, since = free_port(), time.time()

    async def main(ready: Ready) -> None:
        bell = ChangeNotifier()
        bell.attach()
        generous = Limits(quota_per_person=10**6, quota_per_channel=10**6)
        office = office_in(home, ScaledClock(SCALE, since), generous, bell)
        inbox = make_inbox(office)
        pump = Pump("settle", partial(settle_waiting, inbox), frozenset({"deliveries"}))
        bell.wake_on(pump.wakes_on, pump.wake)
        options = ConsoleOptions(port=port, secret=b"s" * 32, now=office.clock.now)
        async with console_running(QueryApi(office, inbox, bell, FileArtefacts(home)), options) as address:
            ready(address)
            await pump.run(office.clock)

    return main


def lost_in_a_rush(home: Path, make_inbox: Callable[[Services], Inbox], kills: int) -> list[str]:
    plan = Rush(seed=random.SystemRandom().randrange(10**6), messages=4 * kills, kills=kills)
    mains = [a_console(furnished(home), make_inbox)]
    rushed = rush(home, mains, plan, lambda glimpse: "received" not in glimpse.states)
    return lost(home, rushed)


def test_a_delivery_that_is_inserted_after_the_acknowledgement_is_lost(tmp_path: Path) -> None:
    assert shows(lambda number: lost_in_a_rush(tmp_path / str(number), LateInbox, kills=8))


@pytest.mark.timeout(120)
def test_a_delivery_that_is_inserted_before_it_is_not(tmp_path: Path) -> None:
    assert not lost_in_a_rush(tmp_path, Inbox, kills=6)


# ── 2, 3: a post is sent again without a look; the lease ends before the call does ──────────────────────────────────


class BlindOutbox(Outbox):
    """Sends again whatever it is unsure of."""

    async def _post_or_edit(self, platform: Platform, post: Post, card: Card) -> str:
        return post.message or await platform.post(post.thread, post.key, card)


class HastyOutbox(Outbox):
    """Begins a call however little is left of its lease."""

    def _has_time(self, lease: Lease) -> bool:
        return True


SHORT_LEASE = Limits(provider_timeout=15, send_lease=4)
SLOW = Faults(reset_after_accept=0, error_after_accept=0, too_many=0, shown_late=0.5)


def sent_by(outbox: type[Outbox], limits: Limits, faults: Faults, senders: int) -> Sent:
    seed = random.SystemRandom().randrange(10**6)
    errand = Errand(
        seed=seed, threads=10, posts=8, kills=4 // senders, faults=faults, limits=limits, outbox=outbox, senders=senders
    )
    (sent,) = side_by_side(run_errand, [errand], at_once=1)
    return sent


def test_a_post_that_is_sent_again_without_a_look_is_doubled() -> None:
    assert shows(lambda number: sent_by(BlindOutbox, Limits(), Faults(), senders=1).doubled)


def test_a_lease_that_ends_before_the_call_does_doubles_posts() -> None:
    assert shows(lambda number: sent_by(HastyOutbox, SHORT_LEASE, SLOW, senders=2).doubled)


@pytest.mark.timeout(120)
def test_with_its_own_limits_the_outbox_doubles_nothing_at_the_same_slow_provider() -> None:
    sent = sent_by(Outbox, Limits(), SLOW, senders=2)
    assert sent.is_right, sent


# ── 4: two writers, and no BEGIN IMMEDIATE ──────────────────────────────────────────────────────────────────────────


def careless(url: str) -> Engine:
    """As SQLAlchemy opens SQLite by itself: a transaction begins at its first change, so what it read is old."""
    return create_engine(url)


def careful(url: str) -> Engine:
    return make_engines(url)[0]


Claims = tuple[Callable[[str], Engine], str, str]


def claim_all(claims: Claims) -> list[int]:
    """Take posts one by one until there are none."""
    open_engine, url, owner = claims
    engine, mine = open_engine(url), list[int]()
    lease = Lease(owner=owner, at=NOW, until=NOW + timedelta(hours=1))
    while True:
        with engine.begin() as db:
            posts = Transaction(db).posts
            taken = posts.claim(lease, Limits(), most=1)
            for post in taken:
                posts.mark_sent(post, "message", NOW, Limits())
        if not taken:
            return mine
        mine += [post.id for post in taken]


def claimed_twice(home: Path, open_engine: Callable[[str], Engine]) -> set[int]:
    home.mkdir(exist_ok=True)
    url = f"sqlite:///{home / 'overlord.db'}"
    engine = careful(url)
    with engine.begin() as db:
        migrate(db)
        for number in range(200):
            Transaction(db).posts.want(wish("post", Thread(f"flaky:room:{number}"), Card(title="post")), NOW)
    engine.dispose()
    plans: list[Claims] = [(open_engine, url, "one"), (open_engine, url, "other")]
    one, other = side_by_side(claim_all, plans, at_once=2)
    assert len({*one, *other}) == 200
    return set(one) & set(other)


@pytest.mark.timeout(120)
def test_two_writers_claim_the_same_posts_unless_a_transaction_begins_with_the_lock(tmp_path: Path) -> None:
    assert shows(lambda number: claimed_twice(tmp_path / str(number), careless))


@pytest.mark.timeout(120)
def test_two_writers_that_begin_with_the_lock_never_claim_the_same_post(tmp_path: Path) -> None:
    assert not claimed_twice(tmp_path, careful)


# ── 5: compare and set, without its state clause ────────────────────────────────────────────────────────────────────


class StaleLedger(Ledger):
    """Reads a decision as it was before anybody wrote, as a transaction that does not lock would."""

    remembered: Decision

    def find(self, id: DecisionId) -> Decision | None:
        return self.remembered


class LedgerWithoutItsClause(StaleLedger):
    def change(self, fact: e.AboutDecision, cause: Cause) -> Decision:
        row = tables.decisions
        made = {"state": DecisionState.DECIDED, "body": dump(self.remembered), "delivery": None}
        self._db.execute(update(row).where(row.c.id == fact.decision).values(**made))
        return self.remembered


def presses_that_count(home: Path, make_ledger: type[StaleLedger]) -> int:
    """Two people press different buttons, each having read the decision while it was open."""
    engine, counted = careful(f"sqlite:///{home / 'overlord.db'}"), 0
    with engine.begin() as db:
        migrate(db)
        (question,) = questions(a_task(Transaction(db)))
        ledger = make_ledger(db, set())
        ledger.remembered = question
        for option in question.options:
            made = e.DecisionMade(task=question.task, at=NOW, decision=question.id, option=option.letter, by=())
            try:
                ledger.change(made, Cause(actor="console:ana", delivery="test"))
            except OverlordError:
                continue
            counted += 1
    engine.dispose()
    return counted


def test_without_its_state_clause_a_decision_is_made_twice(tmp_path: Path) -> None:
    assert presses_that_count(tmp_path, LedgerWithoutItsClause) == 2


def test_with_it_whoever_comes_second_finds_nothing_open(tmp_path: Path) -> None:
    assert presses_that_count(tmp_path, StaleLedger) == 1


# ── 6: no fence ─────────────────────────────────────────────────────────────────────────────────────────────────────


class UnfencedJobLog(JobLog):
    """Speaks for whichever run holds the job."""

    async def record(self, id: TaskId, decide: Decide) -> None:
        await self._take_any_fence()
        await super().record(id, decide)

    async def note(self, id: TaskId, decide: Decide) -> Task:
        await self._take_any_fence()
        return await super().note(id, decide)

    async def _take_any_fence(self) -> None:
        jobs = tables.jobs
        held = select(jobs.c.fence).where(jobs.c.id == self._job.id)
        fence = await self._database.read(lambda tx: int(tx.db.execute(held).scalar_one()))
        self._job = replace(self._job, fence=fence)


async def remarks_of_a_job_taken_over(home: Path, make_log: type[JobLog]) -> list[str]:
    """A run sleeps through its lease, another takes the job over; then both note something and record."""
    database = Database(f"sqlite:///{home / 'overlord.db'}")

    def claim(owner: str, at: datetime) -> InTransaction[list[Job]]:
        lease = Lease(owner=owner, at=at, until=at + timedelta(seconds=60))
        return lambda tx: tx.jobs.claim(lease, Limits(), 1)

    def remark(words: str) -> Decide:
        return lambda task, moment: [e.RemarkMade(task=task.id, at=NOW, by=task.request.by, text=words)]

    try:
        task = await database.write(a_task)
        await database.write(launch)
        (zombie,) = await database.write(claim("zombie", NOW))
        (holder,) = await database.write(claim("holder", NOW + timedelta(seconds=61)))
        for job, words in ((zombie, "zombie"), (holder, "holder")):
            with suppress(StaleLease):
                log = make_log(database, job, lambda task, cause: Moment(at=NOW, cause=cause))
                await log.note(task.id, remark(f"{words} notes"))
                await log.record(task.id, remark(words))
        facts = await database.read(lambda tx: [r.event for r in tx.log.facts(task.id)])
        return [fact.text for fact in facts if isinstance(fact, e.RemarkMade)]
    finally:
        database.close()


async def test_without_a_fence_a_run_that_lost_its_lease_records(tmp_path: Path) -> None:
    assert await remarks_of_a_job_taken_over(tmp_path, UnfencedJobLog) == ["zombie notes", "zombie"]


async def test_with_the_fence_only_the_holder_of_the_lease_records(tmp_path: Path) -> None:
    assert await remarks_of_a_job_taken_over(tmp_path, JobLog) == ["holder notes", "holder"]
