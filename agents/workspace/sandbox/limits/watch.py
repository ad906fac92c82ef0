"""Ends what uses too much memory or disk. There is no rlimit for a whole tree of processes, so it is looked at."""

import asyncio
from collections.abc import Callable

from agents.ports import EndedBy, Profile
from agents.workspace.sandbox.limits.disk import Disk, Members

SELDOM, OFTEN = 0.2, 0.05  # seconds between two looks


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
