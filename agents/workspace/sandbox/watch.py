"""Ends what uses too much memory or disk. There is no rlimit for a whole tree of processes, so it is looked at."""

import asyncio
import os
import time
from dataclasses import dataclass
from pathlib import Path

from agents.ports import EndedBy, Profile
from agents.workspace.sandbox import tree
from agents.workspace.sandbox.cgroup import Group

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

    def grown(self, limit: int, root: int) -> bool:
        """Asking the filesystem is cheap; who wrote is looked up only if enough was written for it to matter."""
        if self.free - _free(self.workspace) <= limit:
            return False
        written = sum(_changed_since(self.workspace, self.since))
        return written + tree.unlinked(tree.members(root), self.workspace.stat().st_dev) > limit


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


async def over_a_limit(root: int, profile: Profile, disk: Disk, group: Group | None) -> EndedBy:
    """Returns as soon as one is broken, and else never."""
    pause = OFTEN
    while True:
        await asyncio.sleep(pause)
        used = await asyncio.to_thread(_used, root, profile, disk, group)
        if isinstance(used, EndedBy):
            return used
        pause = OFTEN if used > profile.memory // 4 else SELDOM


def _used(root: int, profile: Profile, disk: Disk, group: Group | None) -> int | EndedBy:
    used = tree.memory(tree.members(root), profile.memory) if group is None else group.memory()
    if used > profile.memory or (group is not None and group.ran_out()):
        return EndedBy.MEMORY
    return EndedBy.DISK if disk.grown(profile.disk, root) else used
