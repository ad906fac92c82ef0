"""A process that is started and waited for without a thread of its own, which asyncio's would take."""

import asyncio
import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

# The bot answers people first, however much its minions have to do. A program is told before it starts, for what it has
# started by then would not hear of it.
NICE = 10
_GIVING_WAY = (found, "-n", str(NICE)) if (found := shutil.which("nice")) else ()
SACRIFICED = 500  # added to what the kernel counts for a process when it must end one for want of memory


class Process:
    def __init__(self, popen: "subprocess.Popen[bytes]") -> None:
        self._popen = popen
        self.pid = popen.pid

    @property
    def has_ended(self) -> bool:
        return self._popen.poll() is not None

    def kill(self) -> None:
        self._popen.kill()  # says nothing if it has ended

    async def wait(self) -> int:
        """The exit code. Any number may wait."""
        if not self.has_ended:
            await _end_of(self._popen.pid)
        return self._popen.wait()


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
    return Process(popen)


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


async def _end_of(pid: int) -> None:
    with suppress(ProcessLookupError):
        descriptor = os.pidfd_open(pid)
        loop = asyncio.get_running_loop()
        ended: asyncio.Future[None] = loop.create_future()
        loop.add_reader(descriptor, ended.set_result, None)
        try:
            await ended
        finally:
            loop.remove_reader(descriptor)
            os.close(descriptor)
