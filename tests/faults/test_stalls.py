"""The loop is never held up, however much goes on (P11)."""

import sys
from pathlib import Path

import pytest

from tests.faults.soak import soak

# The promise is 200 ms, and the bench holds it; here the machine is shared with whoever else runs tests.
WALL = 0.5


@pytest.mark.timeout(120)
async def test_fifty_busy_tasks_never_hold_up_the_loop(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    soaked = await soak(tmp_path)
    told = f"worst stall {soaked.worst * 1000:.0f} ms, by the program's own count {soaked.told * 1000:.0f} ms"
    with capsys.disabled():
        sys.stdout.write(f" {told} ")
    assert soaked.worst < WALL, told
    assert soaked.told < WALL, told
