"""One message a second in a channel."""

import asyncio
import time

from bot.messages import Later

PATIENCE = 2.0  # seconds that a turn is waited for here; beyond that the outbox waits


class Pace:
    """Kept in memory: a restart costs at most one message that comes too early."""

    def __init__(self, apart: float) -> None:
        self._apart = apart
        self._next: dict[str, float] = {}

    async def turn(self, channel: str) -> None:
        """Wait for this channel's next turn, or say when it comes."""
        now = time.monotonic()
        due = max(now, self._next.get(channel, 0.0))
        if due - now > PATIENCE:
            raise Later(due - now)
        self._next[channel] = due + self._apart
        await asyncio.sleep(due - now)
