"""Somebody who looks at what runs."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from agents.ports import Listener

PATIENCE = 60.0


@dataclass
class Audience:
    """Implements agents.ports.Show, and remembers what it was shown."""

    shown: list[str] = field(default_factory=list)  # "gate: command"
    heard: list[str] = field(default_factory=list)
    running: int = 0
    _spoke: asyncio.Event = field(default_factory=asyncio.Event)

    @contextmanager
    def __call__(self, command: str, gate: str = "") -> Iterator[Listener]:
        self.shown.append(f"{gate}: {command}" if gate else command)
        self.running += 1
        try:
            yield self._hear
        finally:
            self.running -= 1

    async def hears(self, words: str) -> str:
        """The first time that it is told these words."""
        async with asyncio.timeout(PATIENCE):
            while not (found := [last for last in self.heard if words in last]):
                self._spoke.clear()
                await self._spoke.wait()
        return found[0]

    def _hear(self, last: str) -> None:
        self.heard.append(last)
        self._spoke.set()
