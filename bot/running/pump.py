"""Pumps: loops that are woken by a change, or when something is due."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import datetime

from agents.ports import Clock
from store.database import StoreUnavailable

log = logging.getLogger("overlord.pumps")

Step = Callable[[], Awaitable[int]]
NextDue = Callable[[datetime], Awaitable[float | None]]  # seconds from now; what came due since then counts, too

LOOK_AGAIN = 60.0  # seconds after which a pump looks even if nothing woke it and nothing is due
AFTER_TROUBLE = 1.0


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
