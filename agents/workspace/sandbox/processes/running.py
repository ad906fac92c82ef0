"""Starts the process of a sandbox and waits until it ends or breaks a limit, without a thread of its own."""

import asyncio
import os
import shutil
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agents.ports import EndedBy, Listener, Profile, Ran
from agents.workspace.sandbox.processes import tree
from agents.workspace.sandbox.processes.guardian import TOKEN
from agents.workspace.sandbox.processes.output import Output

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
GUARDIAN = Path(__file__).with_name("guardian.py")


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
        output.hush()
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


class Guard:
    """Started with the first sandbox. It needs no word to act: the end of its pipe is the end of us."""

    def __init__(self) -> None:
        self.token = f"overlord-{os.urandom(16).hex()}"
        self._process: Process | None = None

    def stand(self) -> None:
        if self._process is not None and self._process.poll() is None:
            return
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-S", str(GUARDIAN)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={TOKEN: self.token},
            cwd="/",
            start_new_session=True,
        )
