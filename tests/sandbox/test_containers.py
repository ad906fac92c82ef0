"""What only containers can get wrong, on every engine that answers."""

import asyncio
import os
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from agents.ports import EndedBy
from agents.workspace.sandbox import sandbox_choice
from agents.workspace.sandbox.container import LABEL, Container, Engine
from agents.workspace.sandbox.walls import SandboxUnusable
from tests.bench.floor import ROOT
from tests.conformance.sandbox_rig import NAMED
from tests.sandbox import engines
from tests.sandbox.yard import SMALL, left, python, worktree

ENGINES = {"podman": engines.podman, "docker": engines.docker}
PATIENCE = 60.0


@pytest.fixture(params=[name for name in NAMED if name in ENGINES] or ["podman"])
def engine(request: pytest.FixtureRequest) -> Engine:
    try:
        return ENGINES[request.param]()
    except engines.NoEngine as why:
        pytest.skip(f"not run: {why}")


async def test_every_wall_of_an_engine_holds(engine: Engine, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """As the program chooses it: the engine is found on the path, and tried before it is used."""
    (tmp_path / engine.name).symlink_to(engine.path)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    sandbox = await sandbox_choice.choose_sandbox(engine.name)
    assert sandbox.name == engine.name
    findings = await sandbox_choice.examine(sandbox)
    assert len(findings) > 10 and [finding for finding in findings if finding.seen] == []


@pytest.mark.parametrize("option", ["--memory", "--pids-limit"])
async def test_an_engine_that_holds_no_limit_is_refused(engine: Engine, tmp_path: Path, option: str) -> None:
    """As without root and without control groups of version 2, where an engine warns and goes on."""
    deaf = tmp_path / "deaf"
    swap = "--memory-swap" if option == "--memory" else option
    deaf.write_text(
        "#!/usr/bin/env python3\nimport os, sys\nkept = sys.argv[1:]\n"
        f"for name in ({option!r}, {swap!r}):\n"
        "    if name in kept: at = kept.index(name); del kept[at : at + 2]\n"
        f"os.execv({engine.path!r}, [{engine.path!r}, *kept])\n"
    )
    deaf.chmod(0o755)
    with pytest.raises(SandboxUnusable, match="does not limit the memory and the processes"):
        await Container(replace(engine, path=str(deaf))).once(worktree(tmp_path / "base"), SMALL, ["true"])
    assert _containers(engine, os.getpid()) == []


async def test_nothing_is_left_where_the_bot_was_started(
    engine: Engine, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Podman's monitor writes a file where it works when the memory of a container has run out."""
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    greedy = "import os, time\nfor _ in range(3): os.fork()\nx = os.urandom(1 << 20) * 60\ntime.sleep(600)"
    ran = await Container(engine).once(worktree(tmp_path / "base"), SMALL, python(greedy))
    assert ran.ended_by is EndedBy.MEMORY
    assert list((tmp_path / "here").iterdir()) == []


def test_a_killed_bot_leaves_nothing_that_the_next_one_does_not_remove(engine: Engine, tmp_path: Path) -> None:
    mark = f"killed-{os.getpid()}"
    folder = worktree(tmp_path).path
    launcher = [sys.executable, "-m", "tests.sandbox.launcher", "room", engine.name, str(folder), mark]
    with subprocess.Popen(launcher, cwd=ROOT, stdout=subprocess.PIPE, text=True) as bot:
        assert bot.stdout is not None
        assert (bot.stdout.readline(), bot.stdout.readline()) == ("starting\n", "up\n")
        bot.kill()
    until = time.monotonic() + PATIENCE
    while left(mark) and time.monotonic() < until:
        time.sleep(0.02)
    assert left(mark) == []
    assert len(_containers(engine, bot.pid)) == 1
    asyncio.run(Container(engine).sweep())
    assert _containers(engine, bot.pid) == []


def _containers(engine: Engine, pid: int) -> list[str]:
    command = [engine.path, "ps", "--all", "--quiet", "--filter", f"label={LABEL}={pid}"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
