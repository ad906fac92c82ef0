"""A control group around a sandbox, where this process may make one: limits that hold for all its processes at once."""

import itertools
import os
from contextlib import suppress
from dataclasses import dataclass
from math import inf
from pathlib import Path

from agents.ports import Profile

UNIFIED = Path("/sys/fs/cgroup")
_PERIOD = 100_000  # microseconds in which a share of the processors is dealt out
_WANTED = ("memory", "pids")
_LIMITS = {"memory": ("memory.max", "memory.limit_in_bytes"), "pids": ("pids.max",)}  # of both versions
_numbers = itertools.count(1)


@dataclass(frozen=True, slots=True)
class Group:
    path: Path

    def joining(self) -> list[str]:
        """Put in front of a command: it joins before it becomes anything else."""
        return ["/bin/sh", "-c", 'echo 0 > "$0/cgroup.procs" && exec "$@"', str(self.path)]

    def used(self) -> float:
        """Bytes; without end if the kernel had to end something inside for want of them."""
        return inf if self.ran_out() else int(self._read("memory.current") or 0)

    def ran_out(self) -> bool:
        """Whether the kernel had to end something inside for want of memory."""
        return _killed(self._read("memory.events"))

    def remove(self) -> None:
        with suppress(OSError):
            (self.path / "cgroup.kill").write_text("1")
        with suppress(OSError):
            self.path.rmdir()

    def _read(self, name: str) -> str:
        try:
            return (self.path / name).read_text()
        except OSError:
            return ""


def ran_out(pid: int) -> bool:
    """The same of the group that a process is in, whoever made it and of whichever version."""
    files = (folder / name for folder in _groups(pid, "memory") for name in ("memory.events", "memory.oom_control"))
    return any(_killed("\n".join(_lines(file))) for file in files)


def limit(pid: int, controller: str) -> float:
    """The lowest limit on "memory" or "pids" among the groups that a process is in; without end if there is none."""
    folders = [above for folder in _groups(pid, controller) for above in (folder, *folder.parents)]
    files = (folder / name for folder in folders for name in _LIMITS[controller])
    return min((int(line) for file in files for line in _lines(file) if line.isdigit()), default=inf)


def _groups(pid: int, controller: str) -> list[Path]:
    """Folders of the groups that count it, of either version."""
    lines = [line.split(":", 2) for line in _lines(Path(f"/proc/{pid}/cgroup"))]
    return [UNIFIED / kind / name.lstrip("/") for _, kind, name in lines if kind in ("", controller)]


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text().splitlines()
    except OSError:
        return []


def _killed(events: str) -> bool:
    return any(line.startswith("oom_kill ") and not line.endswith(" 0") for line in events.splitlines())


def make(profile: Profile, root: Path = UNIFIED, own: Path = Path("/proc/self/cgroup")) -> Group | None:
    """None where the machine has no such groups, or they are not ours to make."""
    parent = _parent(root, own)
    if parent is None:
        return None
    group = Group(parent / f"overlord-{os.getpid()}-{next(_numbers)}")
    try:
        group.path.mkdir()
        _limit(group.path, profile)
    except OSError:
        group.remove()
        return None
    return group


def _limit(path: Path, profile: Profile) -> None:
    (path / "memory.max").write_text(str(profile.memory))
    (path / "pids.max").write_text(str(profile.processes + 8))  # bwrap's own among them
    with suppress(OSError):
        (path / "memory.swap.max").write_text("0")
    with suppress(OSError):
        (path / "cpu.max").write_text(f"{profile.cpus * _PERIOD} {_PERIOD}")


def _parent(root: Path, own: Path) -> Path | None:
    """Our own group may hold no group with limits while we are in it, so a neighbour is made, or none."""
    name = next((line[3:] for line in _lines(own) if line.startswith("0::")), None)
    if name is None or name == "/":
        return None
    parent = (root / name.lstrip("/")).parent
    try:
        dealt = (parent / "cgroup.subtree_control").read_text().split()
    except OSError:
        return None
    return parent if set(_WANTED) <= set(dealt) and os.access(parent, os.W_OK) else None
