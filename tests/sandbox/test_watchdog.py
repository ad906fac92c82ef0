"""Where no control group can be had: the same attacks, ended by somebody who looks. Also by a bot that is not root."""

import asyncio
import json
import os
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from agents.ports import EndedBy
from agents.workspace.sandbox.processes import resource_limits, tree
from agents.workspace.sandbox.processes.tree import Usage
from agents.workspace.sandbox.walls import MB
from tests.bench.floor import ROOT
from tests.sandbox import bombs
from tests.sandbox.yard import SMALL, Yard, bubblewrap, worktree

SOMEBODY = 12_345
TIGHT = replace(SMALL, memory=48 * MB)
TRIES = 3  # what the kernel holds is counted for the whole machine: other tests that end meanwhile hide some of it


@pytest.fixture
def looked_at(tmp_path: Path) -> Yard:
    return Yard(bubblewrap(group=lambda profile: None), worktree(tmp_path), TIGHT)


@pytest.mark.parametrize("bomb", [name for name in bombs.MEMORY if name != "messages"])
async def test_what_a_control_group_would_count_is_seen(looked_at: Yard, bomb: str) -> None:
    profile = TIGHT if bomb in bombs.HIDDEN else SMALL  # else the limit of each process is in the way
    for _ in range(TRIES):
        ran = await looked_at.sandbox.once(looked_at.workspace, profile, bombs.python(bombs.MEMORY[bomb]))
        if ran.ended_by is EndedBy.MEMORY:
            return
    pytest.fail(str(ran))


async def test_whatever_else_the_machine_lost_is_seen_too(tmp_path: Path) -> None:
    """Messages of System V stand for all that nobody thought of."""
    sandbox = bubblewrap(group=lambda profile: None, usage=partial(Usage, noise=16 * MB))
    for _ in range(TRIES):
        ran = await sandbox.once(worktree(tmp_path), TIGHT, bombs.python(bombs.MESSAGES))
        if ran.ended_by is EndedBy.MEMORY:
            return
    pytest.fail(str(ran))


def test_who_made_the_kernel_work_is_accused_and_not_who_was_there() -> None:
    before = tree.hidden_memory(tree.meminfo()) - 1024 * MB
    with subprocess.Popen(["sleep", "60"]) as quiet:
        busy, calm = (Usage(pid, 0, hidden_before=before) for pid in (os.getpid(), quiet.pid))
        with busy, calm:
            until = time.process_time() + 0.1
            while time.process_time() < until:
                os.urandom(1 << 16)
            assert busy() > 512 * MB > calm()
        with calm:
            assert calm() > 512 * MB
        quiet.kill()


async def test_a_sandbox_that_does_little_is_not_seen_as_large(looked_at: Yard) -> None:
    """What the machine itself has of sockets and files in memory is not the sandbox's."""
    busy = "import time, tempfile\nfor n in range(30): tempfile.NamedTemporaryFile().write(b'x'); time.sleep(0.02)"
    ran = await looked_at.sandbox.once(looked_at.workspace, TIGHT, bombs.python(busy))
    assert (ran.ended_by, ran.exit_code) == (EndedBy.EXIT, 0), ran


def test_memory_of_programs_is_not_taken_for_the_kernels() -> None:
    before = tree.meminfo()
    assert tree.hidden_memory(
        {**before, "MemAvailable": before["MemAvailable"] - MB, "AnonPages": before["AnonPages"] + MB}
    ) == (tree.hidden_memory(before))
    assert (
        tree.hidden_memory({**before, "MemAvailable": before["MemAvailable"] - MB}) == tree.hidden_memory(before) + MB
    )


@pytest.fixture
def open_place() -> Iterator[Path]:
    """A folder of somebody who is not root."""
    with tempfile.TemporaryDirectory(prefix="overlord-test-", dir="/var/tmp") as made:
        os.chown(made, SOMEBODY, SOMEBODY)
        yield Path(made)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root becomes somebody else; without root the other tests show it")
@pytest.mark.parametrize("bomb", ["sockets", "names"])
def test_a_bot_that_is_not_root_ends_it_too(open_place: Path, bomb: str) -> None:
    if _as_nobody_special(
        open_place, "-c", "import os, sys, pydantic; os.execv(sys.executable, [sys.executable, '-V'])"
    ).returncode:
        pytest.skip("not run: nobody but root can read this checkout, or its Python")
    done = _as_nobody_special(open_place, "-m", "tests.sandbox.test_watchdog", str(open_place), bomb)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {"ended": bombs.expected(bomb), "group": False, "left": []}


def _as_nobody_special(home: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    """By the system's own Python where it is the same one: that of the venv may be root's."""
    same = Path(f"/usr/bin/python{sys.version_info.major}.{sys.version_info.minor}")
    python = str(same) if same.exists() else sys.executable
    become = ["setpriv", f"--reuid={SOMEBODY}", f"--regid={SOMEBODY}", "--clear-groups", "--"]
    environ = {
        "PATH": "/usr/bin:/bin:/usr/sbin:/sbin",
        "HOME": str(home),
        "PYTHONPATH": f"{ROOT}:{sysconfig.get_path('purelib')}",
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    command = [*become, python, *arguments]
    return subprocess.run(command, env=environ, cwd="/", capture_output=True, text=True, timeout=60, check=False)


async def _as_somebody(place: Path, bomb: str) -> None:
    profile = replace(TIGHT, inodes=2_000)
    yard, code = Yard(bubblewrap(), worktree(place), profile), {**bombs.MEMORY, **bombs.DISK}[bomb]
    async with yard.sandbox.open(yard.workspace, profile) as room:
        ran = await room.run(bombs.python(code))
    left = [path.name for path in yard.workspace.path.iterdir() if path.name not in (".git", "main.py")]
    said = {"ended": ran.ended_by, "group": resource_limits.make_group(SMALL) is not None, "left": left}
    sys.stdout.write(json.dumps(said))


if __name__ == "__main__":
    asyncio.run(_as_somebody(Path(sys.argv[1]), sys.argv[2]))
