"""Somebody who looks at what runs."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from agents.ports import Listener


@dataclass
class Audience:
    """Implements agents.ports.Show, and remembers what it was shown."""

    shown: list[str] = field(default_factory=list)  # "gate: command"
    heard: list[str] = field(default_factory=list)
    running: int = 0
    spoke: asyncio.Event = field(default_factory=asyncio.Event)

    @contextmanager
    def __call__(self, command: str, gate: str = "") -> Iterator[Listener]:
        self.shown.append(f"{gate}: {command}" if gate else command)
        self.running += 1
        try:
            yield self._hear
        finally:
            self.running -= 1

    def _hear(self, last: str) -> None:
        self.heard.append(last)
        self.spoke.set()
