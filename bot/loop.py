"""The event loop of the program, which knows how long it was held up: it is timed where it waits, and never woken."""

import asyncio
import selectors
import time
from collections.abc import Coroutine
from typing import Any, TypeVar

Result = TypeVar("Result")


class TimedSelector(selectors.DefaultSelector):
    """Between two waits the loop does what is due. Whatever comes meanwhile waits that long."""

    def __init__(self) -> None:
        super().__init__()
        self.worst = 0.0  # seconds
        self._since: float | None = None

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if self._since is not None:
            self.worst = max(self.worst, time.monotonic() - self._since)
        try:
            return super().select(timeout)
        finally:
            self._since = time.monotonic()


class TimedLoop(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        self._timed = TimedSelector()
        super().__init__(self._timed)

    @property
    def worst_stall(self) -> float:
        """The longest it was held up since it began, in seconds."""
        return self._timed.worst


def run(work: Coroutine[Any, Any, Result]) -> Result:
    """As asyncio.run."""
    with asyncio.Runner(loop_factory=TimedLoop) as runner:
        return runner.run(work)
