"""How much memory a sandbox takes where no control group counts it: what its processes show, and what the kernel holds.

Memory in nobody's RSS is looked for where programs can have much of it: page tables, files in memory, sockets. Whatever
else there may be is seen as memory that the machine lost since the command began and that no program shows as its own.
"""

import os
from contextlib import suppress
from pathlib import Path
from typing import ClassVar

from agents.workspace.sandbox.processes import tree
from agents.workspace.sandbox.walls.walls import MEMORY_FOLDERS

AN_INODE = 1 << 10  # bytes that the kernel takes for an empty file in memory, and for its name
A_SOCKET = 640 << 10  # what the buffers of one hold at most, as a kernel comes
_SHOWN = ("AnonPages", "Shmem", "PageTables")  # memory of programs: theirs is counted with them
NOISE = 256 << 20  # what a machine may lose and get back by itself within seconds
_FADES = 0.8  # of the kernel's work that was done before the last look


class Usage:
    """Of one command, from when it began."""

    _running: ClassVar[dict["Usage", float]] = {}  # how much the kernel worked for each, lately

    def __init__(self, pid: int, limit: int, *, noise: int = NOISE, hidden_before: int | None = None) -> None:
        self._pid, self._limit, self._noise = pid, limit, noise
        self._hidden = hidden_memory(meminfo()) if hidden_before is None else hidden_before
        self._worked = 0.0

    def __enter__(self) -> "Usage":
        self._worked = tree.kernel_time(tree.members(self._pid))
        self._running[self] = 0.0
        return self

    def __exit__(self, *problem: object) -> None:
        self._running.pop(self, None)

    def __call__(self) -> float:
        members = tree.members(self._pid)
        seen = tree.memory(members, self._limit) + self._of_kernel(members)
        return max(seen, self._lost(members))

    def _of_kernel(self, members: list[tree.Member]) -> int:
        first = tree.first(members)
        return 0 if first is None else files_in_memory(first) + sockets(first) * A_SOCKET

    def _lost(self, members: list[tree.Member]) -> int:
        """What the machine lost, if this is the command that the kernel worked for most: one cannot see whose it is."""
        worked = tree.kernel_time(members)
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
            at = Path(f"/proc/{pid}/root{folder}")
            if at.stat().st_dev in _own_devices():
                continue  # its mounts are being made: what it sees is the machine's
            there = os.statvfs(at)
            total += (there.f_blocks - there.f_bfree) * there.f_frsize + (there.f_files - there.f_ffree) * AN_INODE
    return total


def _own_devices() -> set[int]:
    return {Path(folder).stat().st_dev for folder in ("/", *MEMORY_FOLDERS) if Path(folder).exists()}


def sockets(pid: int) -> int:
    """How many there are in a process's own network."""
    try:
        if Path(f"/proc/{pid}/ns/net").stat().st_ino == Path("/proc/self/ns/net").stat().st_ino:
            return 0
        first = Path(f"/proc/{pid}/net/sockstat").read_text().partition("\n")[0]
        return int(first.split()[-1])
    except (OSError, ValueError, IndexError):
        return 0
