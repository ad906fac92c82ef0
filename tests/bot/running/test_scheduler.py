"""Periodic work in APScheduler, and pumps: through outages, failures and jumps of the clock."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress

import pytest

from bot.running.scheduler import Periodic, Pump, Scheduler
from bot.services import SystemClock
from store.database import StoreUnavailable
from tests.fakes.clock import ScaledClock


@pytest.fixture
async def scheduler() -> AsyncIterator[Scheduler]:
    made = Scheduler(SystemClock())
    yield made
    await made.stop()


class Work:
    def __init__(self, *problems: Exception) -> None:
        self.begun, self.ended = 0, 0
        self.problems = list(problems)
        self.go_on = asyncio.Event()
        self.go_on.set()

    async def run(self) -> None:
        self.begun += 1
        if self.problems:
            raise self.problems.pop(0)
        await self.go_on.wait()
        self.ended += 1


async def until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(20):
        while not holds():  # noqa: ASYNC110  nobody is told
            await asyncio.sleep(0.01)


async def test_work_is_done_at_the_start_and_again_when_it_is_time(scheduler: Scheduler) -> None:
    often, rarely = Work(), Work()
    await scheduler.repeat(
        [Periodic(name="often", every=0.2, run=often.run), Periodic(name="rarely", every=3600, run=rarely.run)]
    )
    await until(lambda: often.ended >= 3)
    assert rarely.ended == 1


async def test_a_run_that_takes_long_is_not_run_beside_itself(scheduler: Scheduler) -> None:
    work = Work()
    work.go_on.clear()
    await scheduler.repeat([Periodic(name="long", every=0.1, run=work.run)])
    await until(lambda: work.begun == 1)
    await asyncio.sleep(0.5)
    assert work.begun == 1
    work.go_on.set()
    await until(lambda: work.ended >= 2)


async def test_work_that_an_outage_interrupted_is_done_when_the_store_is_back() -> None:
    scheduler, work = Scheduler(ScaledClock(10, time.time())), Work(StoreUnavailable("it is away"))
    await scheduler.repeat([Periodic(name="rarely", every=36_000, run=work.run)])
    await until(lambda: work.ended == 1)
    await scheduler.stop()
    assert work.begun == 2


async def test_work_that_failed_is_done_again_the_next_time(scheduler: Scheduler) -> None:
    work = Work(RuntimeError("nobody foresaw it"))
    await scheduler.repeat([Periodic(name="often", every=0.2, run=work.run)])
    await until(lambda: work.ended >= 1)


async def test_a_clock_that_was_set_has_everything_done_now(scheduler: Scheduler) -> None:
    work = Work()
    scheduler.realign()  # nothing is there yet
    await scheduler.repeat([Periodic(name="rarely", every=3600, run=work.run)])
    await until(lambda: work.ended == 1)
    scheduler.realign()
    await until(lambda: work.ended == 2)


async def test_what_runs_is_cancelled_and_waited_for_when_it_stops(caplog: pytest.LogCaptureFixture) -> None:
    scheduler, ended = Scheduler(SystemClock()), list[str]()
    begun = asyncio.Event()

    async def job(name: str) -> None:
        try:
            begun.set()
            await asyncio.Event().wait()
        finally:
            ended.append(name)

    await scheduler.start_job("one", job, "one")
    await begun.wait()
    await scheduler.stop()
    assert ended == ["one"] and not caplog.records


async def watch(pump: Pump, look: Callable[[], bool]) -> None:
    """Let it run until the look is true."""
    running = asyncio.create_task(pump.run(SystemClock()))
    try:
        await until(look)
    finally:
        running.cancel()
        with suppress(asyncio.CancelledError):
            await running


def steps(*each: Exception | int) -> tuple[Callable[[], Awaitable[int]], list[int]]:
    """A step that does these things in turn, then finds nothing; and how often it was asked."""
    left, asked = list(each), list[int]()

    async def step() -> int:
        asked.append(1)
        now = left.pop(0) if left else 0
        if isinstance(now, Exception):
            raise now
        return now

    return step, asked


@pytest.mark.parametrize("problem", [StoreUnavailable("the disk is full"), ValueError("nobody foresaw this")])
async def test_it_is_in_trouble_only_until_it_works_again(problem: Exception) -> None:
    step, asked = steps(problem)
    pump = Pump(name="some", step=step, wakes_on=frozenset())
    await watch(pump, lambda: bool(pump.trouble))
    assert ("disk" in pump.trouble) or ("nobody foresaw" in pump.trouble)
    await watch(pump, lambda: len(asked) > 1 and not pump.trouble)


async def test_it_goes_on_while_it_finds_something_and_then_sleeps() -> None:
    step, asked = steps(3, 1)
    pump = Pump(name="some", step=step, wakes_on=frozenset())
    await watch(pump, lambda: len(asked) == 3)
    assert not pump.wake.is_set()


async def test_it_is_woken() -> None:
    step, asked = steps()
    pump = Pump(name="some", step=step, wakes_on=frozenset())
    await watch(pump, lambda: _woken(pump, asked))


def _woken(pump: Pump, asked: list[int]) -> bool:
    if asked:
        pump.wake.set()
    return len(asked) >= 3


async def test_what_is_due_is_not_slept_through() -> None:
    step, asked = steps()

    async def soon(_looked: object) -> float:
        return 0.02

    await watch(Pump(name="some", step=step, wakes_on=frozenset(), next_due=soon), lambda: len(asked) >= 3)
