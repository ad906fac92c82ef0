"""The processes of a sandbox as the host sees them, and how much memory they take where no control group counts it.

Memory in nobody's RSS is looked for where programs can have much of it: page tables, files in memory, sockets. Whatever
else there may be is seen as memory that the machine lost since the command began and that no program shows as its own.
"""

import os
import signal
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from agents.workspace.sandbox.walls import MEMORY_FOLDERS

TICKS = os.sysconf("SC_CLK_TCK")  # in a second
AN_INODE = 1 << 10  # bytes that the kernel takes for an empty file in memory, and for its name
A_SOCKET = 640 << 10  # what the buffers of one hold at most, as a kernel comes
_SHOWN = ("AnonPages", "Shmem", "PageTables")  # memory of programs: theirs is counted with them
NOISE = 256 << 20  # what a machine may lose and get back by itself within seconds
_FADES = 0.8  # of the kernel's work that was done before the last look
_ROUGH = ("VmRSS:", "VmSwap:", "VmPTE:")


@dataclass(frozen=True, slots=True)
class Member:
    pid: int
    started: str  # in ticks since boot: a number that came to another process has another one


def members(root: int) -> list[Member]:
    """The process and all below it. A daemon stays below: its sandbox's first process adopts it."""
    found, waiting = [], [root]
    while waiting:
        pid = waiting.pop()
        with suppress(OSError):
            found.append(Member(pid, _stat(pid)[19]))
            for thread in _names(f"/proc/{pid}/task"):
                with suppress(OSError):
                    waiting += map(int, _read(f"/proc/{pid}/task/{thread}/children").split())
    return found


def _stat(pid: int) -> list[str]:
    """What /proc tells of a process, behind its name."""
    return _read(f"/proc/{pid}/stat").rpartition(")")[2].split()


def alive(member: Member) -> bool:
    try:
        fields = _stat(member.pid)
    except OSError:
        return False
    return fields[19] == member.started and fields[0] not in ("Z", "X")


def kill(found: Sequence[Member]) -> None:
    for member in found:
        if alive(member):
            with suppress(OSError):
                os.kill(member.pid, signal.SIGKILL)


def memory(found: Sequence[Member], limit: int) -> int:
    """Bytes in use, page tables among them. Shared pages are told apart only if there seems to be too much: that takes
    longer."""
    rough = sum(_sizes(member.pid, "status", _ROUGH) for member in found)
    return rough if rough <= limit else sum(_exact(member.pid) for member in found)


def _exact(pid: int) -> int:
    shared = _sizes(pid, "smaps_rollup", ("Pss:", "SwapPss:"))
    return shared + _sizes(pid, "status", ("VmPTE:",)) if shared else _sizes(pid, "status", _ROUGH)


def _sizes(pid: int, file: str, names: Sequence[str]) -> int:
    try:
        lines = _read(f"/proc/{pid}/{file}").splitlines()
    except OSError:
        return 0
    return sum(int(words[1]) << 10 for line in lines if (words := line.split())[0] in names)


def kernel_time(found: Sequence[Member]) -> float:
    """Seconds that the kernel worked for them and for the dead that they buried."""
    ticks = 0
    for member in found:
        with suppress(OSError):
            fields = _stat(member.pid)
            ticks += int(fields[12]) + int(fields[14])
    return ticks / TICKS


def first(found: Sequence[Member]) -> int | None:
    """The first process of the sandbox, once it stands: number 1 in its namespace, without any capability.

    Before, and in a stage around it, what it shows is the machine's.
    """
    return next((member.pid for member in found if _is_first(member.pid)), None)


def _is_first(pid: int) -> bool:
    try:
        lines = (line.split() for line in _read(f"/proc/{pid}/status").splitlines())
    except OSError:
        return False
    shown = {words[0]: words[1:] for words in lines if words}
    numbers, capabilities = shown.get("NSpid:", []), shown.get("CapEff:", ["1"])
    return len(numbers) > 1 and numbers[-1] == "1" and int(capabilities[0], 16) == 0


def unlinked_bytes(found: Sequence[Member], device: int) -> int:
    """Bytes on a disk in files that have no name any more but are still open."""
    sizes: dict[int, int] = {}
    for member in found:
        with suppress(OSError):
            for name in _names(f"/proc/{member.pid}/fd"):
                with suppress(OSError):
                    status = Path(f"/proc/{member.pid}/fd/{name}").stat()
                    if status.st_nlink == 0 and status.st_dev == device:
                        sizes[status.st_ino] = status.st_blocks * 512
    return sum(sizes.values())


def _names(folder: str) -> list[str]:
    return os.listdir(folder)  # noqa: PTH208  looked at many times a second


def _read(path: str) -> str:
    with open(path, encoding="utf-8", errors="replace") as file:  # noqa: PTH123  a Path costs more than the read
        return file.read()


class Usage:
    """Of one command, from when it began."""

    _running: ClassVar[dict["Usage", float]] = {}  # how much the kernel worked for each, lately

    def __init__(self, pid: int, limit: int, *, noise: int = NOISE, hidden_before: int | None = None) -> None:
        self._pid, self._limit, self._noise = pid, limit, noise
        self._hidden = hidden_memory(meminfo()) if hidden_before is None else hidden_before
        self._worked = 0.0

    def __enter__(self) -> "Usage":
        self._worked = kernel_time(members(self._pid))
        self._running[self] = 0.0
        return self

    def __exit__(self, *problem: object) -> None:
        self._running.pop(self, None)

    def __call__(self) -> float:
        found = members(self._pid)
        seen, pid = memory(found, self._limit), first(found)
        if pid is not None:
            seen += files_in_memory(pid) + sockets(pid) * A_SOCKET
        return max(seen, self._lost(found))

    def _lost(self, found: list[Member]) -> int:
        """What the machine lost, if this is the command that the kernel worked for most: one cannot see whose it is."""
        worked = kernel_time(found)
        self._running[self] = self._running.get(self, 0.0) * _FADES + max(0.0, worked - self._worked)
        self._worked = worked
        lost = hidden_memory(meminfo()) - self._hidden
        accused = lost > self._noise and self._running[self] >= max(self._running.values())
        return lost if accused else 0


def meminfo() -> dict[str, int]:
    """Bytes, by name."""
    pairs = (line.partition(":") for line in Path("/proc/meminfo").read_text().splitlines())
    return {name: int(value.split()[0]) << 10 for name, _, value in pairs}


def hidden_memory(now: dict[str, int]) -> int:
    """Memory that is in use and cannot be had back, and that no program shows as its own."""
    return now["MemTotal"] - now["MemAvailable"] - sum(now[name] for name in _SHOWN)


def files_in_memory(pid: int) -> int:
    """Their content, and what the kernel holds for each."""
    total = 0
    for folder in MEMORY_FOLDERS:
        with suppress(OSError):
            own = {Path(each).stat().st_dev for each in ("/", *MEMORY_FOLDERS) if Path(each).exists()}
            at = Path(f"/proc/{pid}/root{folder}")
            if at.stat().st_dev in own:
                continue  # its mounts are being made: what it sees is the machine's
            there = os.statvfs(at)
            total += (there.f_blocks - there.f_bfree) * there.f_frsize + (there.f_files - there.f_ffree) * AN_INODE
    return total


def sockets(pid: int) -> int:
    """How many there are in a process's own network."""
    try:
        if Path(f"/proc/{pid}/ns/net").stat().st_ino == Path("/proc/self/ns/net").stat().st_ino:
            return 0
        first = Path(f"/proc/{pid}/net/sockstat").read_text().partition("\n")[0]
        return int(first.split()[-1])
    except (OSError, ValueError, IndexError):
        return 0
