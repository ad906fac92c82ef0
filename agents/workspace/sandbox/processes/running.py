"""A command in a sandbox: how it starts, what it says, and how it ends or breaks a limit."""

import asyncio
import os
import re
import shutil
import subprocess
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agents.domain.text.sanitize import clean
from agents.ports import EndedBy, Listener, Profile, Ran
from agents.workspace.sandbox.processes import tree

_ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-_])")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_UNFINISHED = re.compile(r"\x1b(?:\[[0-?]*[ -/]*|\][^\x07\x1b]*\x1b?)?\Z")
LAST = 12_288  # bytes that are told of: more than anybody is shown, so that a secret is there as a whole
APART = 0.5  # seconds between two tellings, however much is said
# The bot answers people first, however much its minions have to do. A program is told before it starts, for what it has
# started by then would not hear of it.
NICE = 10
_GIVING_WAY = (found, "-n", str(NICE)) if (found := shutil.which("nice")) else ()
SACRIFICED = 500  # added to what the kernel counts for a process when it must end one for want of memory
GONE_WITHIN = 5.0  # seconds after the kill; nothing of a sandbox lives longer
_BURIAL = 1.0
_LAST_WORDS = 1.0  # seconds for what was written to arrive, when all writers are dead
Ending = tuple[EndedBy, int | None]  # and the exit code of what ended by itself
DIED: Ending = (EndedBy.KILLED, None)


def readable(text: str) -> str:
    """`clean`, and much faster than it for plain text."""
    if not text.isascii():
        return clean(text)
    return _CONTROL.sub("", _ESCAPES.sub("", text.replace("\r\n", "\n").replace("\r", "\n")))


def latest(data: bytes, *, whole: bool) -> str:
    """As a terminal would show it now. It may begin and end anywhere, unless it is the whole."""
    text = data.decode(errors="ignore")
    if not whole:
        text = text.partition("\n")[2] or text
    text = _UNFINISHED.sub("", text)
    lines = text.replace("\r\n", "\n").split("\n")
    # what follows a carriage return was written over what was before it
    return readable("\n".join(line.rstrip("\r").rpartition("\r")[2] for line in lines))


class Output(asyncio.Protocol):
    """The reading end of a command's output."""

    def __init__(self, kept: int, most: int, listener: Listener | None) -> None:
        self._half, self._most = kept // 2, most
        self._last = min(LAST, self._half)
        self._head, self._tail = bytearray(), bytearray()
        self._total = 0
        self._listener = listener
        self._soon: asyncio.TimerHandle | None = None
        self._loop = loop = asyncio.get_running_loop()
        self.too_much: asyncio.Future[None] = loop.create_future()
        self.at_end: asyncio.Future[None] = loop.create_future()

    def data_received(self, data: bytes) -> None:
        """The beginning is kept; of the rest only the end."""
        self._total += len(data)
        room = self._half - len(self._head)
        if room > 0:
            self._head += data[:room]
            data = data[room:]
        self._tail += data[-self._half :]
        if len(self._tail) > 4 * self._half:
            del self._tail[: -self._half]
        if self._total > self._most and not self.too_much.done():
            self.too_much.set_result(None)
        if self._listener and not self._soon:
            self._soon = self._loop.call_later(APART, self._tell, self._listener)

    def connection_lost(self, exc: Exception | None) -> None:
        if not self.at_end.done():
            self.at_end.set_result(None)

    @property
    def cut(self) -> int:
        return max(0, self._total - len(self._head) - self._half)

    def text(self) -> str:
        tail = bytes(self._tail[-self._half :])
        if not self.cut:
            return readable((self._head + tail).decode(errors="replace"))
        parts = (self._head.decode(errors="replace"), tail.decode(errors="replace"))
        return f"\n… {self.cut} bytes were cut here …\n".join(readable(part) for part in parts)

    def finish(self) -> None:
        """It is over: what nobody was told yet is told now."""
        if self._soon and self._listener:
            self._soon.cancel()
            self._tell(self._listener)

    def _tell(self, listener: Listener) -> None:
        self._soon = None
        tail = self._tail[-self._last :]
        short = self._last - len(tail)
        said = self._head[-short:] + tail if short else tail
        listener(latest(bytes(said), whole=len(said) == self._total))


Process = subprocess.Popen[bytes]


async def exit_code(process: Process) -> int:
    """Waits for its end, without a thread of its own, which asyncio's would take. Any number may wait."""
    if process.poll() is None:
        with suppress(ProcessLookupError):
            descriptor = os.pidfd_open(process.pid)
            loop = asyncio.get_running_loop()
            ended: asyncio.Future[None] = loop.create_future()
            loop.add_reader(descriptor, ended.set_result, None)
            try:
                await ended
            finally:
                loop.remove_reader(descriptor)
                os.close(descriptor)
    return process.wait()


def start(
    command: Sequence[str], environ: Mapping[str, str], into: int, inherited: Sequence[int], cpus: frozenset[int]
) -> Process:
    """With only this environment, its output in one place, and nobody to type to it."""
    with _on(cpus):
        popen = subprocess.Popen(
            [*_GIVING_WAY, *command],
            stdin=subprocess.DEVNULL,
            stdout=into,
            stderr=into,
            env=environ,
            pass_fds=inherited,
            cwd="/",
            start_new_session=True,
        )
    with suppress(OSError):  # where Linux shares out time by session, that is what counts
        Path(f"/proc/{popen.pid}/autogroup").write_text(str(NICE))
    return popen


@contextmanager
def _on(cpus: frozenset[int]) -> Iterator[None]:
    """A child is born on the processors of the thread that starts it."""
    before = os.sched_getaffinity(0)
    if not cpus:
        yield
        return
    os.sched_setaffinity(0, cpus)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


@dataclass(slots=True)
class Pipe:
    output: Output
    writable: int  # for the command
    open: bool = True

    def close_ours(self) -> None:
        """The command has it, so we let go of it. Once: the number soon belongs to another file."""
        if self.open:
            self.open = False
            os.close(self.writable)


@asynccontextmanager
async def listening(profile: Profile, listener: Listener | None) -> AsyncIterator[Pipe]:
    """A pipe whose other end is read and counted until it is closed."""
    readable, writable = os.pipe()
    output = Output(profile.kept, profile.output, listener)
    reading = os.fdopen(readable, "rb", buffering=0)
    transport, _ = await asyncio.get_running_loop().connect_read_pipe(lambda: output, reading)
    pipe = Pipe(output, writable)
    try:
        yield pipe
    finally:
        pipe.close_ours()
        output.finish()
        transport.close()


async def outcome(
    command: Coroutine[None, None, int | None],
    watching: Coroutine[None, None, EndedBy],
    output: Output,
    seconds: float,
) -> Ending:
    """The command's coroutine returns its exit code, or None if the sandbox died under it."""
    running, watch = asyncio.create_task(command), asyncio.create_task(watching)
    try:
        waiting: set[asyncio.Future[Any]] = {running, watch, output.too_much}
        done, _ = await asyncio.wait(waiting, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        if running in done:
            code = running.result()
            return DIED if code is None else (EndedBy.EXIT, code)
        if watch in done:
            return watch.result(), None
        return (EndedBy.OUTPUT if output.too_much in done else EndedBy.TIMEOUT), None
    finally:
        running.cancel()
        watch.cancel()


async def explain_ending(ended: Ending, ran_out: Callable[[], Awaitable[bool]]) -> Ending:
    """The kernel ends what has no memory left before we look; from outside that is a signal like any other."""
    killed = ended == DIED or (ended[1] is not None and ended[1] > 128)
    return (EndedBy.MEMORY, None) if killed and await ran_out() else ended


async def result(output: Output, ended: Ending, began: float) -> Ran:
    seconds = time.monotonic() - began
    await asyncio.wait({output.at_end}, timeout=_LAST_WORDS)
    return Ran(ended_by=ended[0], exit_code=ended[1], output=output.text(), cut=output.cut, seconds=seconds)


async def end(process: Process) -> None:
    """All that runs in the sandbox; what is forked meanwhile dies with the sandbox's first process.

    The process that we started goes last and by itself, so that it can bury its own dead: whoever inherits
    them may not, and a zombie is a process too.
    """
    if process.poll() is not None:
        return
    found = tree.members(process.pid)
    tree.kill(found[1:])
    try:
        async with asyncio.timeout(_BURIAL if found[1:] else 0):
            await exit_code(process)
    except TimeoutError:
        process.kill()
    async with asyncio.timeout(GONE_WITHIN):
        await exit_code(process)
        while left := [member for member in found if tree.alive(member)]:
            tree.kill(left)
            await asyncio.sleep(0.005)
