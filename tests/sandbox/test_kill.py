"""kill -9 of whoever started a sandbox, at random moments: nothing of it goes on."""

import os
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.bench.floor import ROOT
from tests.sandbox.yard import left

TRIALS = int(os.environ.get("OVERLORD_KILLS", "8"))  # of each kind
PATIENCE = 60.0
STILL = 1.0  # what was being started when the bot died may show up a moment later


@pytest.mark.parametrize("kind", ["once", "room"])
def test_a_killed_launcher_leaves_no_process(kind: str, tmp_path: Path) -> None:
    chance = random.Random(57)
    for trial in range(TRIALS):
        (tmp_path / f"tree-{trial}").mkdir()
        _kill(kind, tmp_path / f"tree-{trial}", chance.uniform(0, 0.12) if trial else 0.0)
    time.sleep(STILL)
    until = time.monotonic() + PATIENCE
    while left(str(tmp_path)) and time.monotonic() < until:
        time.sleep(0.02)
    assert [_described(pid) for pid in left(str(tmp_path))] == []


def _kill(kind: str, folder: Path, after: float) -> None:
    """The folder's path is in the command line of everything that starts its sandbox, and is the first in it."""
    launcher = [sys.executable, "-m", "tests.sandbox.launcher", kind, "bubblewrap", str(folder), f"{folder}-mark"]
    with subprocess.Popen(launcher, cwd=ROOT, stdout=subprocess.PIPE, text=True) as bot:
        assert bot.stdout is not None
        assert bot.stdout.readline() == "starting\n"
        time.sleep(after)
        bot.kill()


def _described(pid: int) -> str:
    try:
        fields = [Path(f"/proc/{pid}/{name}").read_bytes().decode() for name in ("stat", "wchan", "cmdline")]
    except OSError as error:
        return f"{pid}: {error}"
    return " | ".join(fields)
