"""The processes of a sandbox as the host sees them: everything below the one that we started."""

import os
import signal
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

TICKS = os.sysconf("SC_CLK_TCK")  # in a second


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
    """Bytes in use, page tables among them. Shared pages are told apart only if there seems to be too much: that takes
    longer."""
    rough = sum(_sizes(member.pid, "status", _ROUGH) for member in found)
    return rough if rough <= limit else sum(_exact(member.pid) for member in found)


_ROUGH = ("VmRSS:", "VmSwap:", "VmPTE:")


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
            fields = _read(f"/proc/{member.pid}/stat").rpartition(")")[2].split()
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
