"""What the gateway asks of the store besides taking deliveries in, and up to where everything was heard."""

import time
from collections.abc import Mapping
from datetime import datetime
from typing import Protocol

from agents.domain.ids import Thread
from bot.platforms.slack import addresses

MARK_EVERY = 10.0  # seconds
AHEAD = 60.0  # seconds that Slack's clock may be ahead of ours


class GatewayStore(Protocol):
    async def is_ours(self, thread: Thread, message: str) -> bool:
        """Whether the bot had been spoken to in this thread when this message of it was written."""
        ...

    async def last_heard(self, since: datetime) -> Mapping[Thread, str]:
        """Our threads in which somebody spoke since then or a task is open, with the last message of a person in each.

        Whatever its age, the thread that was spoken in last is among them.
        """
        ...

    async def mark(self) -> str:
        """The message up to which everything was heard, ours or not; empty before the first."""
        ...

    async def set_mark(self, ts: str) -> None: ...


class Checkpoint:
    """The newest message that was seen. It is saved only while nothing before it was missed."""

    def __init__(self, memory: GatewayStore | None) -> None:
        self._memory = memory
        self._newest, self._saved_at = 0.0, 0.0
        self.whole = False

    def is_due(self, ts: str) -> bool:
        """Note a message that was seen. True: it is time to save."""
        at = addresses.seconds(ts)
        if at is not None and at < time.time() + AHEAD:
            self._newest = max(self._newest, at)
        return self.whole and self._newest > 0 and time.monotonic() - self._saved_at > MARK_EVERY

    async def save(self) -> None:
        self._saved_at = time.monotonic()
        if self._memory:
            await self._memory.set_mark(f"{self._newest:.6f}")
