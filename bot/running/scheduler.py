"""When work is done: periodic work and the pool of jobs, both in APScheduler, and pumps, which changes wake."""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from agents.ports import Clock
from bot.live import ChangeNotifier
from store.database import Database, StoreUnavailable

if TYPE_CHECKING:
    from apscheduler.schedulers.asyncio import AsyncIOScheduler

log = logging.getLogger("overlord.pumps")

Step = Callable[[], Awaitable[int]]
NextDue = Callable[[datetime], Awaitable[float | None]]  # seconds from now; what came due since then counts, too

AFTER_OUTAGE = 1.0  # seconds until work that the store interrupted is tried again
SHORTEST = 0.1  # seconds between two runs, however fast a test's clock is
LOOK_AGAIN = 60.0  # seconds after which a pump looks even if nothing woke it and nothing is due
AFTER_TROUBLE = 1.0
EVERY = 1.0  # seconds between two looks of the watch
JUMP = 0.5  # seconds by which a clock is off before it counts as set; a machine that slept is one, too


@dataclass(frozen=True, slots=True, kw_only=True)
class Periodic:
    """Work that is done at the start and then every so often; one run at a time, and missed ones count as one."""

    name: str
    every: float  # seconds
    run: Callable[[], Awaitable[object]]


class Scheduler:
    """Nothing durable is in it: rows of jobs are ours."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._made: AsyncIOScheduler | None = None
        self._making = asyncio.Lock()
        self._periodic: tuple[Periodic, ...] = ()
        self._tasks: set[asyncio.Task[None]] = set()

    async def start_job(self, id: str, run: Callable[..., Awaitable[None]], *given: Any) -> None:
        """Run it once, now. A job of the same id that has not started is replaced."""
        made = await self._scheduler()
        made.add_job(self._run, args=[run, *given], id=id, misfire_grace_time=None, replace_existing=True)

    async def repeat(self, work: Iterable[Periodic]) -> None:
        made = await self._scheduler()
        gone, self._periodic = self._periodic, tuple(work)
        for name in {each.name for each in gone} - {each.name for each in self._periodic}:
            made.remove_job(name)
        for each in self._periodic:
            seconds = max(SHORTEST, self._clock.real_seconds(each.every))
            doing = [self._repeat, each]
            made.add_job(self._run, "interval", seconds=seconds, args=doing, id=each.name, replace_existing=True)
        self.realign()

    def realign(self) -> None:
        """Do all periodic work now and count on from there: it is the start, or the machine's clock was set."""
        if self._made:
            for each in self._periodic:
                self._made.modify_job(each.name, next_run_time=datetime.now(UTC))

    async def stop(self) -> None:
        """Cancel what runs, and wait until it has ended."""
        if self._made:
            self._made.shutdown(wait=False)
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _run(self, run: Callable[..., Awaitable[None]], *given: Any) -> None:
        if task := asyncio.current_task():
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        try:
            await run(*given)
        except asyncio.CancelledError:  # by `stop` alone; APScheduler would log it as a failure
            return

    async def _repeat(self, work: Periodic) -> None:
        while True:
            try:
                await work.run()
                return
            except StoreUnavailable:  # the store itself says so, once an outage
                await asyncio.sleep(self._clock.real_seconds(AFTER_OUTAGE))

    async def _scheduler(self) -> "AsyncIOScheduler":
        async with self._making:
            if self._made is None:
                made = await asyncio.to_thread(_make_scheduler)
                made.start()
                self._made = made
        return self._made


def _make_scheduler() -> "AsyncIOScheduler":
    """Slow to load, so only where something is to be run."""
    from apscheduler.schedulers.asyncio import AsyncIOScheduler

    return AsyncIOScheduler(
        timezone=UTC, job_defaults={"coalesce": True, "max_instances": 1, "misfire_grace_time": None}
    )


@dataclass
class Pump:
    """Runs `step` until it returns 0, then sleeps until woken or due."""

    name: str
    step: Step
    wakes_on: frozenset[str]
    next_due: NextDue | None = None
    wake: asyncio.Event = field(default_factory=asyncio.Event)
    trouble: str = ""

    async def run(self, clock: Clock) -> None:
        while True:
            self.wake.clear()
            try:
                looked = clock.now()
                while await self.step():
                    looked = clock.now()
                sleep = await self._sleep(clock, looked)
                self._well()
            except StoreUnavailable as problem:  # the store itself says so, once an outage
                self.trouble = problem.what
                sleep = AFTER_TROUBLE
            except Exception as problem:  # a pump never dies: whatever it met, it says so and tries again
                log.exception("pump failed", extra={"pump": self.name})
                self.trouble = repr(problem)
                sleep = AFTER_TROUBLE
            try:
                async with asyncio.timeout(sleep):
                    await self.wake.wait()
            except TimeoutError:
                continue

    async def _sleep(self, clock: Clock, looked: datetime) -> float:
        due = await self.next_due(looked) if self.next_due else None
        return min(LOOK_AGAIN, LOOK_AGAIN if due is None else clock.real_seconds(due) + 0.001)

    def _well(self) -> None:
        if self.trouble:
            log.info("working again", extra={"pump": self.name})
        self.trouble = ""


class Watch:
    """Looks for what no pump is told of: another process has written, or the clock was set.

    It counts seconds itself: APScheduler goes by the clock, and would be late to notice that it was set back.
    """

    def __init__(
        self, database: Database, clock: Clock, notifier: ChangeNotifier, on_jump: Callable[[], None] = lambda: None
    ) -> None:
        self._database, self._clock, self._notifier, self._on_jump = database, clock, notifier, on_jump
        self._away = False  # the store, at the last look
        self._seen = (clock.now(), asyncio.get_running_loop().time())

    async def run(self) -> None:
        while True:
            await asyncio.sleep(EVERY)
            if await self.has_changed():
                self._notifier.notify_all()

    async def has_changed(self) -> bool:
        """Whether anybody may have missed something since the last look."""
        jumped, was_away = self._clock_jumped(), self._away
        if jumped:
            self._on_jump()
        try:
            written = await self._database.others_wrote()
        except StoreUnavailable:
            self._away = True
            return False
        self._away = False
        return written or jumped or was_away

    def _clock_jumped(self) -> bool:
        then, began = self._seen
        now, ends = self._seen = (self._clock.now(), asyncio.get_running_loop().time())
        passed = self._clock.real_seconds((now - then).total_seconds())
        return now < then or abs(passed - (ends - began)) > JUMP


@asynccontextmanager
async def run_beside(doing: Coroutine[Any, Any, None]) -> AsyncIterator[None]:
    """Something that nobody waits for. What goes wrong with it is in the log."""
    task = asyncio.create_task(doing)
    task.add_done_callback(_log_problem)
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


def _log_problem(task: "asyncio.Task[None]") -> None:
    if not task.cancelled() and (problem := task.exception()):
        log.warning("a task of the background ended", extra={"task": repr(task.get_coro()), "problem": repr(problem)})


@asynccontextmanager
async def run_pumps(
    pumps: tuple[Pump, ...], notifier: ChangeNotifier, clock: Clock, opened: asyncio.Event
) -> AsyncIterator[None]:
    """Pumps work from the moment the door is open, and for as long as the block runs."""

    async def when_opened(pump: Pump) -> None:
        await opened.wait()
        await pump.run(clock)

    tasks = []
    for pump in pumps:
        notifier.wake_on(pump.wakes_on, pump.wake)
        tasks.append(asyncio.create_task(when_opened(pump), name=f"pump-{pump.name}"))
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
