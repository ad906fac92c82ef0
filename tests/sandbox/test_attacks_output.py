"""Attacks 55 and 57: code that hides in a build, and output that is meant to harm whoever reads it."""

import asyncio
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from agents.ports import EndedBy
from agents.workspace.sandbox.walls import MB, toolchain
from tests.sandbox.yard import SMALL, Yard, bubblewrap, uid_in, worktree

PLANT = """
import os, pathlib
pathlib.Path("ran").open("a").write(__file__ + " " + str(os.getuid()) + "\\n")
try: pathlib.Path({witness!r}).write_text("escaped")
except OSError: pass
"""


async def test_55_code_of_the_repository_runs_only_inside(yard: Yard, tmp_path: Path) -> None:
    """Whatever a build would load is planted; each leaves its mark where only the sandbox's user can write it."""
    workspace = yard.workspace
    witness = tmp_path / "outside"
    plant = PLANT.format(witness=str(witness))
    for name in ("conftest.py", "setup.py", "sitecustomize.py", "usercustomize.py", "json.py", "os.py"):
        (workspace.path / name).write_text(plant)
    (workspace.path / "evil.pth").write_text("import setup\n")
    (workspace.path / "test_it.py").write_text("def test_it(): pass\n")
    (workspace.path / "Makefile").write_text("all:\n\techo made >> ran\n")
    async with yard.sandbox.open(yard.workspace, SMALL) as room:
        assert not (workspace.path / "ran").exists()  # opening it loads nothing of the repository
        await room.run(["python3", "setup.py"])
        await room.run(["make"])
        await room.run(["env", "PYTHONPATH=.", "python3", "-c", "import conftest"])
    ran = (workspace.path / "ran").read_text()
    assert f"setup.py {uid_in(yard.sandbox)}" in ran and not witness.exists()


async def test_55_tests_of_a_venv_run_inside(tmp_path: Path) -> None:
    venv = Path(sys.prefix)
    workspace = replace(worktree(tmp_path), readable=toolchain(venv))
    (workspace.path / "test_it.py").write_text("import os\ndef test_it(): assert os.getuid() == 1000\n")
    yard = Yard(bubblewrap(), workspace)
    gate = replace(SMALL, seconds=50, memory=1 << 30)
    ran = await yard.sandbox.once(workspace, gate, ["pytest", "-q", "-p", "no:cacheprovider"])
    assert ran.exit_code == 0 and "1 passed" in ran.output


@pytest.mark.long_in_containers
async def test_57_escapes_and_nul_are_stripped(yard: Yard) -> None:
    dirty = r"\033]0;owned\007\033[31mred\033[0m\000 \033]8;;http://evil\033\\link\033]8;;\033\\ ‮evil \rover\n"
    heard: list[str] = []
    ran = await yard.sandbox.once(yard.workspace, SMALL, ["printf", dirty], heard.append)
    assert ran.output == "red link evil \nover\n"
    assert heard == ["over\n"], "what was written over is not shown"
    ran = await yard.sandbox.once(yard.workspace, SMALL, ["printf", dirty.replace(r"\r", r"\n")], heard.append)
    assert heard[1:] == [ran.output] == ["red link evil \nover\n"]


async def test_57_a_hundred_megabytes_are_counted(yard: Yard) -> None:
    loud = replace(SMALL, output=256 * MB)
    stalls: list[float] = []
    watching = asyncio.create_task(_stalls(stalls))
    ran = await yard.sandbox.once(
        yard.workspace, loud, ["sh", "-c", "yes 0123456789 | head -c 104857600; echo; echo last"]
    )
    watching.cancel()
    assert max(stalls) < 0.2
    assert ran.exit_code == 0
    assert ran.output.startswith("0123456789\n") and ran.output.endswith("last\n")
    assert ran.cut == 104857600 + 6 - loud.kept
    assert f"{ran.cut} bytes were cut here" in ran.output


async def test_57_who_never_stops_talking_is_ended(yard: Yard) -> None:
    heard: list[str] = []
    ran = await yard.sandbox.once(yard.workspace, SMALL, ["yes"], heard.append)
    assert ran.ended_by is EndedBy.OUTPUT and ran.cut > 0
    assert sum(map(len, heard)) <= SMALL.kept


@pytest.mark.long_in_containers
async def test_57_a_line_that_never_ends_is_cut(yard: Yard) -> None:
    ran = await yard.sandbox.once(yard.workspace, SMALL, ["sh", "-c", "head -c 2000000 /dev/zero | tr '\\0' x"])
    assert ran.exit_code == 0 and ran.cut > 0
    assert len(ran.output) <= SMALL.kept + 100


async def _stalls(seen: list[float]) -> None:
    """How long the event loop was busy without a pause, again and again: in its own time, for machines are shared."""
    while True:
        before = time.thread_time()
        await asyncio.sleep(0.005)
        seen.append(time.thread_time() - before)
