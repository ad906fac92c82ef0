"""Ends what uses too much memory or disk. There is no rlimit for a whole tree of processes, so it is looked at."""

import asyncio
import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from agents.ports import EndedBy, Profile
from agents.workspace.sandbox import tree

Members = Callable[[], list[tree.Member]]

SELDOM, OFTEN = 0.2, 0.05  # seconds between two looks


@dataclass(frozen=True, slots=True)
class Disk:
    """A filesystem as it was when a command began."""

    workspace: Path
    free: int
    since: float

    @classmethod
    def now(cls, workspace: Path) -> "Disk":
        return cls(workspace, _free(workspace), time.time() - 0.02)  # file times lag by a tick

    def grown(self, limit: int, members: Members) -> bool:
        """Asking the filesystem is cheap; who wrote is looked up only if enough was written for it to matter."""
        if self.free - _free(self.workspace) <= limit:
            return False
        written = sum(_changed_since(self.workspace, self.since))
        return written + tree.unlinked(members(), self.workspace.stat().st_dev) > limit


def _free(path: Path) -> int:
    there = os.statvfs(path)
    return there.f_bfree * there.f_frsize


def _changed_since(folder: Path, moment: float) -> list[int]:
    """Sizes on disk. A program can set when a file was written, but not when its record was."""
    sizes = []
    for above, _, names, at in os.fwalk(folder):
        del above
        for name in names:
            try:
                status = os.stat(name, dir_fd=at, follow_symlinks=False)
            except OSError:
                continue
            if status.st_ctime >= moment:
                sizes.append(status.st_blocks * 512)
    return sizes


async def over_a_limit(profile: Profile, disk: Disk, members: Members, used: Callable[[], float]) -> EndedBy:
    """Returns as soon as one is broken, and else never."""
    pause = OFTEN
    while True:
        await asyncio.sleep(pause)
        now = await asyncio.to_thread(used)
        if now > profile.memory:
            return EndedBy.MEMORY
        if await asyncio.to_thread(disk.grown, profile.disk, members):
            return EndedBy.DISK
        pause = OFTEN if now > profile.memory // 4 else SELDOM
