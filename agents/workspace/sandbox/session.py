"""A room: a sandbox for many commands. If one breaks a limit the whole sandbox ends, and the next starts a new one."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager

from agents.ports import EndedBy, Listener, Profile, Ran, Workspace
from agents.workspace.sandbox.instance import Instance, encode_command
from agents.workspace.sandbox.limits.disk import Disk
from agents.workspace.sandbox.processes import running

Start = Callable[[], Awaitable[Instance]]


@asynccontextmanager
async def session_of(workspace: Workspace, profile: Profile, start: Start) -> "AsyncIterator[SandboxSession]":
    """A room for as long as the block runs."""
    room = SandboxSession(workspace, profile, start, await start())
    try:
        yield room
    finally:
        await room.close()


class SandboxSession:
    """Implements agents.ports.Room."""

    def __init__(self, workspace: Workspace, profile: Profile, start: Start, instance: Instance) -> None:
        self._profile = profile
        self._start, self._instance = start, instance
        self._disk = Disk(workspace.path)  # of the whole run: what one command leaves counts for the next
        self._turn = asyncio.Lock()
        self._closed = False

    async def run(
        self,
        command: Sequence[str],
        *,
        timeout: float | None = None,  # noqa: ASYNC109  it ends the command, which is a result like any other
        on_output: Listener | None = None,
    ) -> Ran:
        encode_command(command)  # what cannot be sent is told before anything is started
        async with self._turn:
            if self._closed:
                return Ran(ended_by=EndedBy.KILLED, exit_code=None, output="", cut=0, seconds=0)
            if not self._instance.alive:
                self._instance = await self._start()
            longest = self._profile.seconds
            return await self._run(command, longest if timeout is None else min(timeout, longest), on_output)

    async def _run(self, command: Sequence[str], seconds: float, listener: Listener | None) -> Ran:
        began, written, ended = time.monotonic(), time.time(), running.DIED
        async with running.listening(self._profile, listener) as pipe:
            try:
                watching = self._instance.watch(self._disk)
                ended = await running.outcome(self._send(command, pipe), watching, pipe.output, seconds)
                ended = await running.explain_ending(ended, self._instance.ran_out)
            finally:
                if ended[0] is not EndedBy.EXIT:
                    await self._instance.close()
                if ended[0] is EndedBy.DISK or await asyncio.to_thread(self._disk.over, self._profile):
                    ended = EndedBy.DISK, None  # perhaps it was over before anybody looked
                    await asyncio.to_thread(self._disk.undo, self._profile, written)
            return await running.result(pipe.output, ended, began)

    async def _send(self, command: Sequence[str], pipe: running.Pipe) -> int | None:
        answer = self._instance.send(command, pipe.writable)
        pipe.close_ours()
        return await answer

    async def close(self) -> None:
        """What still runs is ended first, and its caller is told so."""
        self._closed = True
        if self._turn.locked():
            await self._instance.end()
        async with self._turn:
            await self._instance.close()
