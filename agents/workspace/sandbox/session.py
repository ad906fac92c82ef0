"""A sandbox for many commands. If one breaks a limit the whole sandbox ends, and the next starts a new one."""

import asyncio
import socket
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from agents.domain.errors import OverlordError
from agents.domain.text.sanitize import one_line
from agents.ports import EndedBy, Listener, Profile, Ran, Workspace
from agents.workspace.sandbox import egress
from agents.workspace.sandbox.processes import running
from agents.workspace.sandbox.processes.resource_limits import Disk
from agents.workspace.sandbox.walls import SandboxUnusable

INSIDE = Path(__file__).with_name("inside.py")
PATIENCE = 20.0  # seconds for a sandbox to start
COMMAND_MOST = 1 << 17  # bytes: more does not fit into one message
_READY = b"ready"
_ANSWER = 16
_SAID = 400  # characters of what a failed preparation said last


@dataclass(slots=True)
class Instance:
    """`end` leaves nothing of it running; `watch` returns when a limit is broken."""

    control: socket.socket
    end: Callable[[], Awaitable[object]]
    watch: Callable[[Disk], Coroutine[None, None, EndedBy]]
    ran_out: Callable[[], Awaitable[bool]]  # of memory
    held: AsyncExitStack  # what must be let go with it
    alive: bool = True

    async def send(self, command: Sequence[str], pipe: running.Pipe) -> int | None:
        """Its exit code, when nothing of it runs any more; None if the sandbox died, or says what it cannot say."""
        with suppress(OSError):  # its end is heard in the answer
            socket.send_fds(self.control, [encode_command(command)], [pipe.writable])
        pipe.close_ours()
        try:
            said = await asyncio.get_running_loop().sock_recv(self.control, _ANSWER)
        except OSError:
            return None
        return int(said) if said.isdigit() and len(said) <= 3 else None

    async def close(self) -> None:
        if not self.alive:
            return
        self.alive = False
        try:
            await self.end()
        finally:
            self.control.close()
            await self.held.aclose()


def encode_command(command: Sequence[str]) -> bytes:
    parts = [part.encode(errors="surrogateescape") for part in command]
    if not parts or not parts[0] or any(b"\0" in part for part in parts):
        raise ValueError("a command is a program and its arguments, without NUL characters")
    message = b"\0".join(parts)
    if len(message) > COMMAND_MOST:
        raise ValueError(f"the command has {len(message)} bytes, {COMMAND_MOST} are the most: write it to a file")
    return message


def inside_command(python: str, program: str, control: int | str, port: int, filter: str = "") -> list[str]:
    """-I and -S: nothing that lies in the workspace is loaded into our own program."""
    return [python, "-I", "-S", program, str(control), str(port), filter]


async def ready(control: socket.socket, profile: Profile, held: AsyncExitStack) -> None:
    """Waits until our program inside speaks; nobody else's ran before. Serves the door it opened for egress."""
    try:
        async with asyncio.timeout(PATIENCE):
            await _speaks(control)
        said, descriptors, _, _ = socket.recv_fds(control, _ANSWER, 1)
    except TimeoutError:
        raise SandboxUnusable(
            f"it did not start within {PATIENCE:g} s", next_step="Look at how busy the machine is, and try again."
        ) from None
    except OSError:
        said, descriptors = b"", []
    if said != _READY:
        raise NeverReady
    if descriptors:
        await held.enter_async_context((profile.door or egress.Proxied(profile)).serving(descriptors[0]))


class NeverReady(Exception):
    """The sandbox ended before our program in it said a word; whoever started it knows what was printed."""


async def _speaks(control: socket.socket) -> None:
    loop = asyncio.get_running_loop()
    heard: asyncio.Future[None] = loop.create_future()
    loop.add_reader(control.fileno(), heard.set_result, None)
    heard.add_done_callback(lambda _: loop.remove_reader(control.fileno()))
    await heard


def control_pair() -> tuple[socket.socket, socket.socket]:
    """Messages keep their edges, and the other end's death is heard."""
    kind = socket.SOCK_SEQPACKET if sys.platform == "linux" else socket.SOCK_STREAM
    ours, theirs = socket.socketpair(socket.AF_UNIX, kind)
    ours.setblocking(False)
    return ours, theirs


Start = Callable[[], Awaitable[Instance]]


@asynccontextmanager
async def session_of(workspace: Workspace, profile: Profile, start: Start) -> "AsyncIterator[SandboxSession]":
    """A room for as long as the block runs."""
    room = SandboxSession(workspace, profile, start, await start())
    try:
        for command in workspace.first:
            await _prepare(room, command)
        yield room
    finally:
        await room.close()


class NotPrepared(OverlordError):
    """What a project asks to be run in every fresh tree did not end well."""


async def _prepare(room: "SandboxSession", command: str) -> None:
    ran = await room.run(("/bin/sh", "-c", command))
    if ran.exit_code != 0:
        ended = f"exit code {ran.exit_code}" if ran.ended_by is EndedBy.EXIT else ran.ended_by.value
        said = one_line(ran.output.strip()[-_SAID:], _SAID)
        raise NotPrepared(
            f"the tree cannot be prepared: `{command}` ends with {ended}: {said}",
            next_step="Correct `prepare:` of the project's environment; it runs without a network.",
        )


class SandboxSession:
    """Implements agents.ports.Room."""

    def __init__(self, workspace: Workspace, profile: Profile, start: Start, instance: Instance) -> None:
        self._profile, self._around = profile, workspace.around
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
        command = [*self._around, *command]
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
                answer = self._instance.send(command, pipe)
                ended = await running.outcome(answer, watching, pipe.output, seconds)
                ended = await running.explain_ending(ended, self._instance.ran_out)
            finally:
                if ended[0] is not EndedBy.EXIT:
                    await self._instance.close()
                if ended[0] is EndedBy.DISK or await asyncio.to_thread(self._disk.over, self._profile):
                    ended = EndedBy.DISK, None  # perhaps it was over before anybody looked
                    await asyncio.to_thread(self._disk.undo, self._profile, written)
            return await running.result(pipe.output, ended, began)

    async def close(self) -> None:
        """What still runs is ended first, and its caller is told so."""
        self._closed = True
        if self._turn.locked():
            await self._instance.end()
        async with self._turn:
            await self._instance.close()
