"""Limits of a sandbox: a control group around it, where this process may make one, and the disk.

A group's limits hold for all processes at once. Of version 2 it is made beside our own. Of version 1 it is made below
our own, by root alone, and limits memory only. Both count the memory that the kernel takes for a program.
"""

import asyncio
import itertools
import os
import shlex
import stat
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import NamedTuple

from agents.ports import EndedBy, Profile
from agents.workspace.files.untrusted import TooDeep, prune, walk
from agents.workspace.sandbox.processes import tree
from agents.workspace.sandbox.walls import MB

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
LARGE = MB  # such files go first
_TICK = 0.02  # seconds by which file times may lag
_RECOUNT = 5.0  # seconds between two counts, though nothing seems to grow: somebody else may be making room
_SHARE = 20  # of the time that passes, one part is for counting
SELDOM, OFTEN = 0.2, 0.05  # seconds between two looks


@dataclass(frozen=True, slots=True)
class Group:
    folder: Path
    limits_cpus: bool
    door: str = "cgroup.procs"  # where a process writes itself to join

    def joining(self) -> str:
        """For a shell: it joins before it becomes anything else."""
        return f"echo 0 > {shlex.quote(str(self.folder / self.door))}"

    def memory_used(self) -> float:
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


def lowest_limit(pid: int, controller: str) -> float:
    """The lowest limit on "memory" or "pids" among the groups that a process is in; without end if there is none."""
    folders = [above for folder in _folders(pid, controller) for above in (folder, *folder.parents)]
    texts = (_text(folder / name) for folder in folders for name in _LIMITS[controller])
    return min((int(text) for text in texts if text.strip().isdigit()), default=inf)


def _folders(pid: int, controller: str) -> list[Path]:
    """Of the groups that count it, of either version."""
    groups = _groups(Path(f"/proc/{pid}/cgroup"))
    return [ROOT / kind / name.lstrip("/") for kind, name in groups if kind in ("", controller)]


def make_group(profile: Profile, root: Path = ROOT, own: Path = OWN) -> Group | None:
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


def sweep_groups(root: Path = ROOT, own: Path = OWN) -> None:
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


Members = Callable[[], list[tree.Member]]


class Reserve(NamedTuple):
    """Of the disk, for the bot itself: where less is left, whoever wrote much of it is ended."""

    left: int = 512 * MB
    names_left: int = 20_000
    much: int = 64 * MB
    many_names: int = 2_500


RESERVE = Reserve()


class Disk:
    """A workspace since a run began. Asking the filesystem is cheap; who wrote is counted only if it may matter."""

    def __init__(self, workspace: Path, reserve: Reserve = RESERVE) -> None:
        self._workspace, self._reserve = workspace, reserve
        self._since = time.time() - _TICK
        self._counted = (0, 0)  # bytes and names, when it was last looked at
        self._there = os.statvfs(workspace)  # then, too
        self._looked, self._took = time.monotonic(), 0.0

    def over(self, profile: Profile, members: Members = list) -> bool:
        """Whether the run has written more than it may, or is among those who leave nothing for others."""
        there = os.statvfs(self._workspace)
        scarce = there.f_bavail * there.f_frsize < self._reserve.left
        scarce = scarce or (there.f_files > 0 and there.f_ffree < self._reserve.names_left)
        if not self._may_be_over(profile, there, scarce=scarce):
            return False
        try:
            written, names = self._count(profile.inodes)
        except TooDeep:
            return True
        self._there = there
        written += tree.unlinked_bytes(members(), self._workspace.stat().st_dev)
        much = written > self._reserve.much or names > self._reserve.many_names
        return written > profile.disk or names > profile.inodes or (scarce and much)

    def undo(self, profile: Profile, began: float) -> None:
        """Remove what a command wrote that was ended for it: large files, and if that is not enough all it changed.

        File times may lag, so what it wrote in its first instant stays; what was there before it always does.
        """
        for entry in walk(self._workspace):
            large = stat.S_ISREG(entry.status.st_mode) and entry.status.st_blocks * 512 >= LARGE
            if large and entry.status.st_ctime > began:
                with suppress(OSError):
                    os.unlink(entry.name, dir_fd=entry.folder)
        self._looked = 0.0
        if self.over(profile):
            prune(self._workspace, lambda status: status.st_ctime > began)

    def _may_be_over(self, profile: Profile, now: os.statvfs_result, *, scarce: bool) -> bool:
        waited = time.monotonic() - self._looked
        if waited < self._took:
            return False
        fell = (self._there.f_bfree - now.f_bfree) * now.f_frsize, self._there.f_ffree - now.f_ffree
        written, names = self._counted
        soon = scarce or not now.f_files  # some filesystems do not count names
        pause = max(_RECOUNT / 10 if soon else _RECOUNT, _SHARE * self._took)
        return waited > pause or written + fell[0] > profile.disk or names + fell[1] > profile.inodes

    def _count(self, most: int) -> tuple[int, int]:
        """A program can set when a file was written, but not when its record was. Stops at too many names."""
        size, names, seen, began = 0, 0, set[int](), time.monotonic()
        for entry in walk(self._workspace):
            status = entry.status
            if status.st_ctime < self._since or status.st_ino in seen:
                continue
            if status.st_nlink > 1:
                seen.add(status.st_ino)
            size, names = size + status.st_blocks * 512, names + 1
            if names > most:
                break
        self._counted, self._looked = (size, names), time.monotonic()
        self._took = self._looked - began
        return self._counted


async def over_a_limit(profile: Profile, disk: Disk, members: Members, used: Callable[[], float]) -> EndedBy:
    """Returns as soon as one is broken, and else never."""
    pause = OFTEN
    while True:
        await asyncio.sleep(pause)
        now, broken = await asyncio.to_thread(_look, profile, disk, members, used)
        if broken is not None:
            return broken
        pause = OFTEN if now > profile.memory // 4 else SELDOM


def _look(profile: Profile, disk: Disk, members: Members, used: Callable[[], float]) -> tuple[float, EndedBy | None]:
    now = used()
    if now > profile.memory:
        return now, EndedBy.MEMORY
    return now, EndedBy.DISK if disk.over(profile, members) else None
