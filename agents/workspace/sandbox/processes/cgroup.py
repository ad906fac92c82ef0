"""A control group around a sandbox, where this process may make one: limits that hold for all its processes at once.

Of version 2 it is made beside our own. Of version 1 it is made below our own, by root alone, and limits memory only.
Both count the memory that the kernel takes for a program, which is in nobody's RSS.
"""

import itertools
import os
import shlex
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from math import inf
from pathlib import Path

from agents.ports import Profile
from agents.workspace.sandbox.processes import tree

ROOT = Path("/sys/fs/cgroup")
OWN = Path("/proc/self/cgroup")
_PERIOD = 100_000  # microseconds in which a share of the processors is dealt out
_WANTED = ("memory", "pids")
_LIMITS = {"memory": ("memory.max", "memory.limit_in_bytes"), "pids": ("pids.max",)}  # of both versions
_NAME = "overlord-"
_BOT = f"{_NAME}bot"  # where we go in a group that was given to us: it may not hold processes and groups
_OF_BWRAP = 8  # processes
_PATIENCE = 2.0  # seconds for a group to be empty after the last of its processes has ended
_numbers = itertools.count(1)


@dataclass(frozen=True, slots=True)
class Group:
    folder: Path
    limits_cpus: bool
    door: str = "cgroup.procs"  # where a process writes itself to join

    def joining(self) -> str:
        """For a shell: it joins before it becomes anything else."""
        return f"echo 0 > {shlex.quote(str(self.folder / self.door))}"

    def used(self) -> float:
        """Without end if the kernel had to end something inside for want of memory; else it holds the limit itself."""
        return inf if self.ran_out() else 0

    def ran_out(self) -> bool:
        files = ("memory.events", "memory.oom_control")  # of both versions
        lines = (line for name in files for line in _text(self.folder / name).splitlines())
        return any(line.startswith("oom_kill ") and not line.endswith(" 0") for line in lines)

    def remove(self) -> None:
        until = time.monotonic() + _PATIENCE
        while not _removed(self.folder) and time.monotonic() < until:
            time.sleep(0.005)


def _removed(folder: Path) -> bool:
    kill = folder / "cgroup.kill"  # of version 2
    with suppress(OSError):
        if kill.exists():
            kill.write_text("1")
    try:
        folder.rmdir()
    except OSError:
        return not folder.exists()
    return True


def ran_out(pid: int) -> bool:
    """Whether something was ended for want of memory in the group that a process is in, whoever made it."""
    return any(Group(folder, limits_cpus=False).ran_out() for folder in _folders(pid, "memory"))


def limit(pid: int, controller: str) -> float:
    """The lowest limit on "memory" or "pids" among the groups that a process is in; without end if there is none."""
    folders = [above for folder in _folders(pid, controller) for above in (folder, *folder.parents)]
    texts = (_text(folder / name) for folder in folders for name in _LIMITS[controller])
    return min((int(text) for text in texts if text.strip().isdigit()), default=inf)


def _folders(pid: int, controller: str) -> list[Path]:
    """Of the groups that count it, of either version."""
    groups = _groups(Path(f"/proc/{pid}/cgroup"))
    return [ROOT / kind / name.lstrip("/") for kind, name in groups if kind in ("", controller)]


def make(profile: Profile, root: Path = ROOT, own: Path = OWN) -> Group | None:
    """None where the machine has no such groups, or they are not ours to make."""
    groups = list(_groups(own))
    name = f"{_NAME}{os.getpid()}-{next(_numbers)}"
    if parent := _parent(root, groups):
        limits_cpus = "cpu" in _text(parent / "cgroup.subtree_control").split()
        needed = {"memory.max": profile.memory, "pids.max": profile.processes + _OF_BWRAP}
        wanted = {"memory.swap.max": 0, "cpu.max": f"{profile.cpus * _PERIOD} {_PERIOD}"}
        if _made(parent / name, needed, wanted):
            return Group(parent / name, limits_cpus)
    if memory := _memory(root, groups):  # of memory alone: the others have limits that do without
        limit = profile.memory
        with_swap = {"memory.memsw.limit_in_bytes": limit}
        if _made(memory / name, {"memory.limit_in_bytes": limit}, with_swap):
            # it is joined by the thread: for a process the kernel waits until every processor knows, which takes 10 ms
            return Group(memory / name, limits_cpus=False, door="tasks")
    return None


def sweep(root: Path = ROOT, own: Path = OWN) -> None:
    """Remove what a killed bot left."""
    groups = list(_groups(own))
    for folder in filter(None, (_parent(root, groups), _memory(root, groups))):
        for path in folder.glob(f"{_NAME}[0-9]*-*"):
            if not Path("/proc", path.name.split("-")[1]).exists():
                _removed(path)


def _made(folder: Path, needed: Mapping[str, object], wanted: Mapping[str, object]) -> bool:
    try:
        folder.mkdir()
        for name, value in needed.items():
            (folder / name).write_text(str(value))
    except OSError:
        _removed(folder)
        return False
    for name, value in wanted.items():
        with suppress(OSError):
            (folder / name).write_text(str(value))
    return True


def _groups(path: Path) -> Iterator[tuple[str, str]]:
    """Controller and name of each group that a process is in; version 2 has no controller."""
    for line in _text(path).splitlines():
        _, kinds, name = line.split(":", 2)
        yield from ((kind, name) for kind in kinds.split(","))


def _memory(root: Path, groups: list[tuple[str, str]]) -> Path | None:
    """Our own group of version 1, if we may make others in it."""
    found = next((root / kind / name.lstrip("/") for kind, name in groups if kind == "memory"), None)
    return found if found and os.access(found, os.W_OK) else None


def _parent(root: Path, groups: list[tuple[str, str]]) -> Path | None:
    """Of version 2. Our own group may hold no group with limits while we are in it, so a neighbour is made, or none."""
    name = next((name for kind, name in groups if not kind), "/")
    if name == "/":
        return None
    own = root / name.lstrip("/")
    parent = own if _taken_over(own) else own.parent
    dealt = _text(parent / "cgroup.subtree_control").split()
    return parent if set(_WANTED) <= set(dealt) and os.access(parent, os.W_OK) else None


def _taken_over(own: Path) -> bool:
    """Whether our group was given to us alone (systemd: Delegate=yes): then we go one below, to have room beside us."""
    there = _text(own / "cgroup.controllers").split()
    if own.name == _BOT or not set(_WANTED) <= set(there) or not os.access(own / "cgroup.subtree_control", os.W_OK):
        return False
    ours = {member.pid for member in tree.members(os.getpid())}
    found = [int(pid) for pid in _text(own / "cgroup.procs").split()]
    if not set(found) <= ours:
        return False
    try:
        (own / _BOT).mkdir(exist_ok=True)
        for pid in found:
            (own / _BOT / "cgroup.procs").write_text(str(pid))
        dealt = " ".join(f"+{kind}" for kind in (*_WANTED, "cpu") if kind in there)
        (own / "cgroup.subtree_control").write_text(dealt)
    except OSError:
        return False
    return True


def _text(path: Path) -> str:
    try:
        return path.read_text()
    except OSError:
        return ""
