"""Looks once a second for what no pump is told of: another process has written, or the clock was set.

It counts seconds itself: APScheduler goes by the clock, and would be late to notice that it was set back.
"""

import asyncio
from collections.abc import Callable

from agents.ports import Clock
from bot.change_notifier import Bell
from store.database import Database, StoreUnavailable

EVERY = 1.0  # seconds
JUMP = 0.5  # seconds by which a clock is off before it counts as set; a machine that slept is one, too


class Watch:
    """One look for all pumps: each of them sleeps until it is woken or due."""

    def __init__(
        self, database: Database, clock: Clock, bell: Bell, on_jump: Callable[[], None] = lambda: None
    ) -> None:
        self._database, self._clock, self._bell, self._on_jump = database, clock, bell, on_jump
        self._away = False  # the store, at the last look
        self._seen = (clock.now(), asyncio.get_running_loop().time())

    async def run(self) -> None:
        while True:
            await asyncio.sleep(EVERY)
            if await self.has_changed():
                self._bell.ring_all()

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
