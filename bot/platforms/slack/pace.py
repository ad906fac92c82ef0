"""One message a second in a channel, and silence for as long as Slack asks for it."""

import asyncio
import time
from collections.abc import Iterator
from contextlib import contextmanager

from bot.messages import Later

PATIENCE = 2.0  # seconds that a turn is waited for here; beyond that the outbox waits


class Pace:
    """Kept in memory: after a restart the first 429 says it again."""

    def __init__(self, apart: float) -> None:
        self._apart = apart
        self._next: dict[str, float] = {}
        self._quiet: dict[tuple[str, str], float] = {}

    async def turn(self, channel: str) -> None:
        """Wait for this channel's next turn, or say when it comes."""
        now = time.monotonic()
        due = max(now, self._next.get(channel, 0.0))
        if due - now > PATIENCE:
            raise Later(due - now)
        self._next[channel] = due + self._apart
        await asyncio.sleep(due - now)

    @contextmanager
    def limits(self, method: str, channel: str) -> Iterator[None]:
        """A 429 holds up this method in this channel, and nothing else."""
        left = self._quiet.get((method, channel), 0.0) - time.monotonic()
        if left > 0:
            raise Later(left)
        try:
            yield
        except Later as later:
            self._quiet[method, channel] = time.monotonic() + later.seconds
            raise
