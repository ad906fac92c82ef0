"""Attacks on memory that no process seems to hold: the kernel holds it for them, and its end would be everybody's."""

from dataclasses import replace
from pathlib import Path

import pytest

from agents.ports import EndedBy
from agents.workspace.sandbox.processes.running import SACRIFICED
from agents.workspace.sandbox.walls import MB
from tests.sandbox import bombs
from tests.sandbox.yard import SMALL, Yard

OWN = int(Path("/proc/self/oom_score_adj").read_text())
TIGHT = replace(SMALL, memory=96 * MB)  # engines do not start with less


async def test_memory_in_nobodys_rss_is_counted(yard: Yard) -> None:
    await _ended(yard, "sockets")


@pytest.mark.long_in_containers  # where one limit of the engine counts all kinds
@pytest.mark.parametrize("bomb", [name for name in bombs.HIDDEN if name != "sockets"])
async def test_other_memory_in_nobodys_rss_is_counted(yard: Yard, bomb: str) -> None:
    await _ended(yard, bomb)


async def _ended(yard: Yard, bomb: str) -> None:
    async with yard.sandbox.open(yard.workspace, TIGHT) as room:
        ran = await room.run(bombs.python(bombs.HIDDEN[bomb]))
        assert ran.ended_by is EndedBy.MEMORY, ran
        assert (await room.run(["echo", "again"])).output == "again\n"


async def test_whoever_works_is_ended_before_the_bot(yard: Yard) -> None:
    """And in a room before our own program, which then can tell why."""
    ran = await yard.sandbox.once(yard.workspace, SMALL, ["cat", "/proc/self/oom_score_adj"])
    assert int(ran.output) >= SACRIFICED > OWN
    async with yard.sandbox.open(yard.workspace, TIGHT) as room:
        assert (await room.run(["cat", "/proc/self/oom_score_adj"])).output == "1000\n"


async def test_open_files_are_few(yard: Yard) -> None:
    count = "import os\nn = 0\ntry:\n    while True: os.dup(0); n += 1\nexcept OSError: print(n)"
    assert await yard.seen(count) < SMALL.descriptors
