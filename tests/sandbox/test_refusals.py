"""Attack 56: no sandbox, no work. It is said what to install or to do, and nothing ever runs outside."""

import asyncio
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from agents.ports import Workspace
from agents.workspace.sandbox import sandbox_choice, walls
from agents.workspace.sandbox.bubblewrap import Bubblewrap
from agents.workspace.sandbox.walls import SandboxUnusable
from tests.bench.floor import ROOT
from tests.sandbox.yard import SMALL, Yard, bubblewrap, weakened

NO_NAMESPACES = """
import asyncio, ctypes, os, sys
libc = ctypes.CDLL(None)
assert libc.unshare(0x10000000) == 0
print("out", flush=True)
sys.stdin.readline()
open("/proc/sys/user/max_user_namespaces", "w").write("0")
os.environ["HOME"] = "/"
from agents.workspace.sandbox import sandbox_choice
try: asyncio.run(sandbox_choice.choose_sandbox("bubblewrap"))
except Exception as refused: print(type(refused).__name__, refused)
"""


def test_a_missing_binary_is_told_with_what_to_install(tmp_path: Path) -> None:
    with pytest.raises(SandboxUnusable) as refused:
        walls.find_tools(path=str(tmp_path))
    assert "bwrap" in refused.value.what and "apt install bubblewrap" in refused.value.next_step


async def test_a_binary_that_went_away_is_told_and_nothing_is_run(yard: Yard, tmp_path: Path) -> None:
    gone = replace(walls.find_tools(), bwrap=str(tmp_path / "bwrap"))
    sandbox = Bubblewrap(tools=gone)
    with pytest.raises(SandboxUnusable):
        await sandbox.once(yard.workspace, SMALL, ["touch", str(tmp_path / "ran")])
    with pytest.raises(SandboxUnusable):
        async with sandbox.open(yard.workspace, SMALL):
            pass
    assert not (tmp_path / "ran").exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can map its users into a namespace where there are no more")
def test_user_namespaces_that_are_off_are_told() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", NO_NAMESPACES],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as inside:
        assert inside.stdin is not None and inside.stdout is not None
        assert inside.stdout.readline() == "out\n"
        for name in ("uid_map", "gid_map"):
            Path(f"/proc/{inside.pid}/{name}").write_text("0 0 65536\n")
        said, _ = inside.communicate("go\n", timeout=30)
    assert said.startswith("SandboxUnusable bubblewrap: the sandbox does not start: ")
    assert "user.max_user_namespaces" in said


async def test_an_old_bubblewrap_is_told(yard: Yard) -> None:
    old = bubblewrap(build=weakened(lambda line: [*line[: line.index("--unshare-all")], "--from-the-future"]))
    with pytest.raises(SandboxUnusable) as refused:
        await old.once(yard.workspace, SMALL, ["true"])
    assert "too old" in refused.value.next_step
    with pytest.raises(SandboxUnusable) as refused:
        async with old.open(yard.workspace, SMALL):
            pass
    assert "too old" in refused.value.next_step


async def test_what_fails_inside_is_not_taken_for_a_broken_sandbox(yard: Yard) -> None:
    ran = await yard.sandbox.once(yard.workspace, SMALL, ["sh", "-c", "echo bwrap: setting up uid map; exit 1"])
    assert ran.exit_code == 1


async def test_a_workspace_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises((SandboxUnusable, FileNotFoundError)):
        await bubblewrap().once(Workspace(path=tmp_path / "no"), SMALL, ["true"])


async def test_the_one_that_is_asked_for_is_used_or_refused() -> None:
    assert (await sandbox_choice.choose_sandbox("bubblewrap")).name == "bubblewrap"
    assert (await sandbox_choice.choose_sandbox()).name == "bubblewrap"


@pytest.mark.parametrize("command", [[], [""], ["a\0b"], ["echo", "x" * 200_000]])
async def test_what_is_no_command_is_refused_at_once(yard: Yard, command: list[str]) -> None:
    async with yard.sandbox.open(yard.workspace, SMALL) as room:
        with pytest.raises(ValueError, match="command"):
            await room.run(command)
        assert (await room.run(["true"])).exit_code == 0
    with pytest.raises(ValueError, match="command"):
        await asyncio.wait_for(yard.sandbox.once(yard.workspace, SMALL, command), 5)
