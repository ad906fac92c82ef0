"""A process that is started and waited for without a thread of its own, which asyncio's would take."""

import asyncio
import os
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

NICE = 10


class Process:
    def __init__(self, popen: "subprocess.Popen[bytes]") -> None:
        self._popen = popen
        self.pid = popen.pid

    @property
    def ended(self) -> bool:
        return self._popen.poll() is not None

    def kill(self) -> None:
        self._popen.kill()  # says nothing if it has ended

    async def wait(self) -> int:
        """The exit code. Any number may wait."""
        if not self.ended:
            await _end_of(self._popen.pid)
        return self._popen.wait()


def start(
    command: Sequence[str], environ: Mapping[str, str], into: int, inherited: Sequence[int], cpus: frozenset[int]
) -> Process:
    """With only this environment, its output in one place, and nobody to type to it."""
    with _on(cpus):
        popen = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=into,
            stderr=into,
            env=environ,
            pass_fds=inherited,
            cwd="/",
            start_new_session=True,
        )
    _give_way(popen.pid)
    return Process(popen)


def _give_way(pid: int) -> None:
    """The bot answers people first, however much its minions have to do. Children inherit it."""
    with suppress(OSError):  # it has ended
        os.setpriority(os.PRIO_PROCESS, pid, NICE)
    with suppress(OSError):  # where Linux shares out time by session, that is what counts
        Path(f"/proc/{pid}/autogroup").write_text(str(NICE))


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
