"""The one sandbox of a run, opened when it is first needed."""

from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack

from agents.domain.errors import OverlordError
from agents.ports import Listener, Ran, Room

STARTS = 3


class NoRoom(Exception):
    """There is no sandbox, so nothing is run."""


class LateRoom:
    def __init__(self, open: Callable[[], AbstractAsyncContextManager[Room]]) -> None:
        self._open = open
        self._held = AsyncExitStack()
        self._room: Room | None = None

    async def run(self, command: Sequence[str], seconds: float, heard: Listener | None = None) -> Ran:
        """In the same room to the end of the run, which counts what is written; one that died starts again by itself.

        One that does not start may start the next time: what is started can be killed by anybody.
        """
        for left in reversed(range(STARTS)):
            try:
                if self._room is None:
                    self._room = await self._held.enter_async_context(self._open())
                return await self._room.run(command, timeout=seconds, on_output=heard)
            except OverlordError as problem:
                if not left:
                    raise NoRoom(str(problem)) from problem
        raise AssertionError("unreachable")

    async def close(self) -> None:
        held, self._held, self._room = self._held, AsyncExitStack(), None
        await held.aclose()
