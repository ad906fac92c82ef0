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

TRIALS = int(os.environ.get("OVERLORD_KILLS", "8"))  # of each kind; `make bench` asks for more
PATIENCE = 5.0


@pytest.mark.parametrize("kind", ["once", "room"])
def test_a_killed_launcher_leaves_no_process(kind: str, tmp_path: Path) -> None:
    chance = random.Random(57)
    for trial in range(TRIALS):
        folder = tmp_path / f"tree-{trial}"
        folder.mkdir()
        assert _killed(kind, folder, 0.0 if trial == 0 else chance.uniform(0, 0.12)) == []


def _killed(kind: str, folder: Path, after: float) -> list[int]:
    """The processes that are still there; the workspace's path is in the command line of each."""
    launcher = [sys.executable, "-m", "tests.sandbox.launcher", kind, str(folder), f"mark-{folder.name}"]
    with subprocess.Popen(launcher, cwd=ROOT, stdout=subprocess.PIPE, text=True) as bot:
        assert bot.stdout is not None
        assert bot.stdout.readline() == "starting\n"
        time.sleep(after)
        bot.kill()
    until = time.monotonic() + PATIENCE
    while left(str(folder)) and time.monotonic() < until:
        time.sleep(0.02)
    return left(str(folder))
