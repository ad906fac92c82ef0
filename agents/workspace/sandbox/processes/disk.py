"""How much a run has written into its workspace, in bytes and in names, and what is done if that is too much."""

import asyncio
import os
import stat
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from agents.ports import EndedBy, Profile
from agents.workspace.files.untrusted import TooDeep, prune, walk
from agents.workspace.sandbox.processes import tree
from agents.workspace.sandbox.walls import MB

Members = Callable[[], list[tree.Member]]
LARGE = MB  # such files go first
_TICK = 0.02  # seconds by which file times may lag
_PERIOD = 5.0  # seconds between two counts, though nothing seems to grow: somebody else may be making room
_SHARE = 20  # of the time that passes, one part is for counting
SELDOM, OFTEN = 0.2, 0.05  # seconds between two looks


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
        pause = max(_PERIOD / 10 if soon else _PERIOD, _SHARE * self._took)
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
