"""The one sandbox of a run, opened when it is first needed."""

from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack

from agents.domain.errors import OverlordError
from agents.ports import EndedBy, Listener, Ran, Room

STARTS = 3


class NoRoom(Exception):
    """There is no sandbox, so nothing is run (C28)."""


class LateRoom:
    def __init__(self, open: Callable[[], AbstractAsyncContextManager[Room]]) -> None:
        self._open = open
        self._held = AsyncExitStack()
        self._room: Room | None = None

    async def run(self, command: Sequence[str], seconds: float, heard: Listener | None = None) -> Ran:
        """A room that died under a command is made anew for the next one."""
        room = await self._opened()
        try:
            ran = await room.run(command, timeout=seconds, on_output=heard)
        except OverlordError as problem:
            raise NoRoom(str(problem)) from problem
        if ran.ended_by is EndedBy.KILLED:
            await self.close()
        return ran

    async def _opened(self) -> Room:
        """One that does not start may start the next time: what is started can be killed by anybody."""
        for left in reversed(range(STARTS)):
            try:
                if self._room is None:
                    self._room = await self._held.enter_async_context(self._open())
                return self._room
            except OverlordError as problem:
                if not left:
                    raise NoRoom(str(problem)) from problem
        raise AssertionError("unreachable")

    async def close(self) -> None:
        held, self._held, self._room = self._held, AsyncExitStack(), None
        await held.aclose()
