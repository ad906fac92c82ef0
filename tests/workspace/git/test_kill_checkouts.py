"""kill -9 at any moment loses no commit that was told, breaks no repository and leaves nothing lying about."""

import json
import random
import subprocess
import sys
from pathlib import Path

import pytest

from tests.store.room import FULL

KILLS = 200 if FULL else 30


@pytest.mark.timeout(1800)
def test_kills_at_any_moment_lose_nothing_and_leave_nothing(tmp_path: Path) -> None:
    seed = random.SystemRandom().randrange(10**6)
    command = [sys.executable, "-m", "tests.workspace.kill_trial", str(tmp_path), str(KILLS), str(seed)]
    ran = subprocess.run(command, capture_output=True, text=True, cwd=Path(__file__).parents[3], timeout=1700)
    assert ran.returncode == 0, f"seed {seed}: {ran.stderr[-3000:]}"
    seen = json.loads(ran.stdout)
    assert seen["told"] > KILLS // 4, seen
    assert not seen["lost"] and not seen["troubles"] and not seen["fsck"], f"seed {seed}: {seen}"
    assert seen["left"] == [] and seen["ready"] <= 2, f"seed {seed}: {seen}"
