"""The processes of a sandbox as the host sees them: everything below the one that we started."""

import os
import signal
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

PAGE = os.sysconf("SC_PAGE_SIZE")


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
            found.append(Member(pid, _started(pid)))
            waiting.extend(_children(pid))
    return found


def _children(pid: int) -> Iterator[int]:
    for thread in _names(f"/proc/{pid}/task"):
        with suppress(OSError):
            yield from map(int, _read(f"/proc/{pid}/task/{thread}/children").split())


def _started(pid: int) -> str:
    return _read(f"/proc/{pid}/stat").rpartition(")")[2].split()[19]


def alive(member: Member) -> bool:
    try:
        fields = _read(f"/proc/{member.pid}/stat").rpartition(")")[2].split()
    except OSError:
        return False
    return fields[19] == member.started and fields[0] not in ("Z", "X")


def kill(found: Sequence[Member]) -> None:
    for member in found:
        if alive(member):
            with suppress(OSError):
                os.kill(member.pid, signal.SIGKILL)


def memory(found: Sequence[Member], limit: int) -> int:
    """Bytes in use. Shared pages are told apart only if there seems to be too much: that takes longer."""
    rough = sum(_resident(member.pid) for member in found)
    return rough if rough <= limit else sum(_proportional(member.pid) for member in found)


def _resident(pid: int) -> int:
    try:
        return int(_read(f"/proc/{pid}/statm").split()[1]) * PAGE
    except (OSError, IndexError):
        return 0


def _proportional(pid: int) -> int:
    try:
        lines = _read(f"/proc/{pid}/smaps_rollup").splitlines()
    except OSError:
        return _resident(pid)
    return next((int(line.split()[1]) << 10 for line in lines if line.startswith("Pss:")), 0)


def unlinked(found: Sequence[Member], device: int) -> int:
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
