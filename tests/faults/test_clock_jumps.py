"""P26: the clock jumps by an hour, ahead and back: no timer fires twice or never, no lease stalls, no job races."""

import asyncio
import random
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import text

from agents.domain.decisions.authority import Kind
from agents.domain.decisions.decision import DecisionState, Option, with_letters
from agents.domain.decisions.table import rule_of
from agents.ports import Ports
from bot.app import running
from bot.delivery.announcer import announce
from bot.running.jobs import Jobs, launch
from bot.running.scheduler import Scheduler
from bot.services import Leases
from store.database import Database
from store.running.jobs import Job
from store.transaction import Transaction
from tests.fakes.clock import ScaledClock
from tests.faults.crowd import Crowd, at_rest, settings_of, without_models, wrongs
from tests.store.room import UNLIMITED, Room, office_of

HOUR = 3600.0
GO_OR_WAIT = with_letters(Option(value="go"), Option(value="wait"))


@pytest.fixture
def room(tmp_path: Path) -> Iterator[Room]:
    with closing(Database(f"sqlite:///{tmp_path / 'overlord.db'}")) as database:
        yield Room(office_of(database))


async def facts(room: Room, kind: str) -> int:
    question = text("SELECT count(*) FROM events WHERE kind = :kind").bindparams(kind=kind)
    return int(await room.database.read(lambda tx: tx.db.execute(question).scalar()) or 0)


async def test_timers_fire_once_each_however_the_clock_jumps(room: Room) -> None:
    """Deadlines are moments: a jump ahead brings them, a jump back puts them off, and neither makes two of one."""
    chance = random.Random(26)
    task = await room.task()
    asked = []
    for number in range(200):
        if number < 60:
            asked.append(await room.ask(task, Kind.QUESTION, GO_OR_WAIT, default="go"))
        room.clock.pass_(chance.choice((-HOUR, HOUR, 30, 60, 90)))
        await asyncio.gather(room.fire(), room.fire())
        due = {id for id, _ in await room.database.read(lambda tx: tx.ledger.due(room.clock.now()))}
        assert not due, "what was due has fired"
    room.clock.pass_(50 * HOUR)
    await room.fire()
    assert await facts(room, "DecisionMade") == len(asked), "none twice, none dropped"
    assert {(await room.decision(one.id)).state for one in asked} == {DecisionState.DECIDED}
    assert await room.whole()


async def test_reminders_are_neither_doubled_nor_dropped(room: Room) -> None:
    decision = await room.ask(await room.task(), Kind.ESCALATION, GO_OR_WAIT)
    for jump in (UNLIMITED.reminder, HOUR, -HOUR, -HOUR, HOUR):
        room.clock.pass_(jump)
        await room.fire()
    assert await facts(room, "DecisionReminded") == 1
    for _ in range(5):
        room.clock.pass_(UNLIMITED.reminder + HOUR)
        await room.fire()
    assert await facts(room, "DecisionReminded") == rule_of(await room.decision(decision.id)).reminders


class Bench:
    """Jobs as the program runs them, whose flows wait until the test lets them go on."""

    def __init__(self, room: Room) -> None:
        self.started: list[tuple[str, int]] = []
        self.go_on = asyncio.Event()
        self._room = room

    def runner(self) -> Jobs:
        clock = self._room.clock
        return Jobs(self._room.office, self._ports, Leases(clock), Scheduler(clock))

    async def _ports(self, job: Job) -> Ports:
        self.started.append((job.flow, job.attempts))
        await self.go_on.wait()
        raise RuntimeError("it fails, which is no matter here")

    async def ask(self) -> None:
        """A request, which asks for its first flow."""
        await self._room.task()
        await self._room.database.write(launch)

    async def state(self) -> tuple[str, int]:
        question = text("SELECT state, attempts FROM jobs")
        row = await self._room.database.read(lambda tx: tx.db.execute(question).one())
        return row.state, row.attempts


async def soon(condition: Callable[[], bool | Awaitable[bool]]) -> None:
    async with asyncio.timeout(30):
        while True:
            found = condition()
            if found if isinstance(found, bool) else await found:
                return
            await asyncio.sleep(0.01)


@pytest.mark.parametrize("jump", [HOUR, -HOUR])
async def test_a_running_job_is_not_run_beside_itself_when_the_clock_jumps(room: Room, jump: float) -> None:
    bench = Bench(room)
    await bench.ask()
    jobs = bench.runner()
    await jobs.run_waiting()
    await soon(lambda: len(bench.started) == 1)
    room.clock.pass_(jump)
    assert [await jobs.run_waiting() for _ in range(3)] == [0, 0, 0]
    due = await jobs.next_try(room.clock.now())
    assert due is None or due > 0, "nor does it look again every millisecond"
    assert bench.started == [("intake", 0)]
    await jobs.stop()
    assert await bench.state() == ("waiting", 0), "stopped, given back, and not counted against it"


async def test_a_job_of_a_dead_holder_is_taken_up_in_a_leases_time_after_the_clock_was_set_back(room: Room) -> None:
    bench = Bench(room)
    await bench.ask()
    gone, other = bench.runner(), bench.runner()
    await gone.run_waiting()
    await soon(lambda: len(bench.started) == 1)
    room.clock.pass_(-HOUR)
    assert await other.run_waiting() == 0, "its holder may live"
    room.clock.pass_(UNLIMITED.job_lease)
    assert await other.run_waiting() == 1, "it did not, and nobody waits for an hour"
    for one in (gone, other):
        await one.stop()


async def test_a_job_that_takes_three_processes_with_it_is_parked_and_never_started_again(room: Room) -> None:
    """P7: the fourth start never happens, and its thread is told once."""
    bench = Bench(room)
    await bench.ask()
    runners = []
    for _ in range(6):
        runners.append(bench.runner())
        await runners[-1].run_waiting()
        await asyncio.sleep(0.05)
        room.clock.pass_(UNLIMITED.job_lease + 1)  # nobody renews: as if the process were gone
    await soon(lambda: _parked(bench))
    assert [attempts for _, attempts in bench.started] == [0, 1, 2]
    now = room.clock.now()
    await room.database.write(lambda tx: announce(tx, room.office.permissions, now))
    assert await room.database.read(_escalations) == 1
    for one in runners:
        await one.stop()
    assert await bench.state() == ("parked", 3)


async def _parked(bench: Bench) -> bool:
    return (await bench.state())[0] == "parked"


def _escalations(tx: Transaction) -> int:
    told = "SELECT count(*) FROM posts JOIN decisions ON posts.key = 'decision:' || decisions.id WHERE kind = 'stuck'"
    return int(tx.db.execute(text(told)).scalar() or 0)


@pytest.mark.timeout(120)
async def test_the_whole_program_goes_on_through_jumps_of_an_hour(tmp_path: Path) -> None:
    """People talk, the clock jumps ahead and back six times: all is handled once, and nothing waits for the hour."""
    clock = ScaledClock(20.0, time.time())
    settings = settings_of(tmp_path, f"sqlite:///{tmp_path / 'overlord.db'}")
    async with running(settings, clock, without_models) as program:
        crowd, stop = Crowd(program.inbox.accept), asyncio.Event()
        sending = asyncio.create_task(crowd.keep_sending(stop, every=0.05))
        for hours in (1, -1, -1, 1, 1, -1):
            await asyncio.sleep(0.4)
            clock.shift += timedelta(hours=hours)
        stop.set()
        await sending
        await at_rest(program.services.database, crowd)
        found = await program.services.database.read(lambda tx: wrongs(tx, crowd.acked))
    assert not found, found[:10]
