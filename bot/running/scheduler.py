"""APScheduler: when periodic work is done, and the pool in which jobs run. Nothing durable is in it: rows are ours."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from agents.ports import Clock
from store.database import StoreUnavailable

if TYPE_CHECKING:
    from apscheduler.schedulers.asyncio import AsyncIOScheduler

AFTER_OUTAGE = 1.0  # seconds until work that the store interrupted is tried again
SHORTEST = 0.1  # seconds between two runs, however fast a test's clock is


@dataclass(frozen=True, slots=True, kw_only=True)
class Periodic:
    """Work that is done at the start and then every so often; one run at a time, and missed ones count as one."""

    name: str
    every: float  # seconds
    run: Callable[[], Awaitable[object]]


class Scheduler:
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
        self._periodic = tuple(work)
        for each in self._periodic:
            seconds = max(SHORTEST, self._clock.real_seconds(each.every))
            made.add_job(self._run, "interval", seconds=seconds, args=[self._repeat, each], id=each.name)
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
