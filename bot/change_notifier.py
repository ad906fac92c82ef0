"""Tells everybody who listens what was committed, on their own event loop."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress


class ChangeNotifier:
    """`notify` may be called from any thread."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._listeners: set[asyncio.Queue[frozenset[str]]] = set()
        self._wakes: list[tuple[frozenset[str], asyncio.Event]] = []

    def attach(self) -> None:
        """Changes are told on the loop that runs now."""
        self._loop = asyncio.get_running_loop()

    def wake_on(self, topics: frozenset[str], event: asyncio.Event) -> None:
        self._wakes.append((topics, event))

    def notify(self, topics: frozenset[str]) -> None:
        if self._loop is not None:
            with suppress(RuntimeError):  # the loop has closed: nobody listens any more
                self._loop.call_soon_threadsafe(self._spread, topics)

    def notify_all(self) -> None:
        """On its own loop: nobody can say what changed, so everybody looks."""
        for _, event in self._wakes:
            event.set()
        for queue in self._listeners:
            queue.put_nowait(frozenset({"needs"}))

    def _spread(self, topics: frozenset[str]) -> None:
        for wanted, event in self._wakes:
            if wanted & topics:
                event.set()
        for queue in self._listeners:
            queue.put_nowait(topics)

    async def changes(self) -> AsyncIterator[frozenset[str]]:
        """What changed, as it changes; what piled up meanwhile comes at once. The first is empty and comes at once."""
        queue: asyncio.Queue[frozenset[str]] = asyncio.Queue()
        self._listeners.add(queue)
        try:
            yield frozenset()
            while True:
                topics = await queue.get()
                while not queue.empty():
                    topics |= queue.get_nowait()
                yield topics
        finally:
            self._listeners.discard(queue)
