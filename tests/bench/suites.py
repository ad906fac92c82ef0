"""Suites too long for `make test`: the bot killed at every step, and Hypothesis searching with its full profile."""

import os
import subprocess
import sys
import time
from collections.abc import Sequence

from tests.bench.floor import ROOT
from tests.bench.rows import Row, Say

KILL = ROOT / "tests" / "bench" / "kill_every_step.py"
FORGES = (
    "tests/faults/test_kill_forge.py",
    "tests/faults/test_kill_github.py",
    "tests/workspace/git/test_kill_checkouts.py",
)
SEARCHED = (
    "tests/domain/decisions/test_ledger_model.py",
    "tests/store/streams/test_snapshots.py",
    "tests/bot/cli/test_demo.py",
)


def kill_every_step(say: Say) -> list[Row]:
    if not KILL.exists():
        return []
    return [_run("kill_every_step", [sys.executable, "-m", "tests.bench.kill_every_step"], say)]


def kill_chats(say: Say) -> list[Row]:
    return [_run("kill_chats", [sys.executable, "-m", "tests.bench.kill_chats"], say)]


def kill_throng(say: Say) -> list[Row]:
    return [_run("kill_throng", [sys.executable, "-m", "tests.bench.kill_throng"], say)]


def kill_signed(say: Say) -> list[Row]:
    return [_run("kill_signed", [sys.executable, "-m", "tests.bench.kill_signed"], say)]


def kill_work(say: Say) -> list[Row]:
    return [_run("kill_work", [sys.executable, "-m", "tests.bench.kill_work"], say)]


def kill_programs(say: Say) -> list[Row]:
    return [_run("kill_programs", [sys.executable, "-m", "tests.bench.kill_programs"], say)]


def kill_mvp(say: Say) -> list[Row]:
    return [_run("kill_mvp", [sys.executable, "-m", "tests.bench.kill_steps", "mvp"], say)]


def kill_enterprise(say: Say) -> list[Row]:
    return [_run("kill_enterprise", [sys.executable, "-m", "tests.bench.kill_steps", "enterprise", "--work", "0"], say)]


def kill_open_source(say: Say) -> list[Row]:
    return [_run("kill_open_source", [sys.executable, "-m", "tests.bench.kill_steps", "open_source"], say)]


def containers(say: Say) -> list[Row]:
    return [_run("containers", [sys.executable, "-m", "tests.bench.containers"], say)]


def programs(say: Say) -> list[Row]:
    return [_run("engines", [sys.executable, "-m", "tests.bench.programs"], say)]


def engines_compared(say: Say) -> list[Row]:
    return [_run("engines_compared", [sys.executable, "-m", "tests.bench.engines_compared"], say)]


def drop_sockets(say: Say) -> list[Row]:
    return [_run("drop_sockets", [sys.executable, "-m", "tests.bench.drop_sockets"], say)]


def crowded_doors(say: Say) -> list[Row]:
    return [_run("crowded_doors", [sys.executable, "-m", "tests.bench.crowded_doors"], say)]


def hypothesis_full(say: Say) -> list[Row]:
    return [_run("hypothesis_full", _pytest(*SEARCHED), say)]


def kill_planning(say: Say) -> list[Row]:
    return [_run("kill_planning", _pytest("tests/faults/test_kill_planning.py"), say)]


def kill_forges(say: Say) -> list[Row]:
    return [_run("kill_forges", _pytest(*FORGES), say)]


def _pytest(*files: str) -> list[str]:
    return [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--timeout=3000", *files]


def _run(name: str, command: Sequence[str], say: Say) -> Row:
    environ = {**os.environ, "OVERLORD_HYPOTHESIS": "full", "PYTHONUNBUFFERED": "1"}
    before, last = time.monotonic(), ""
    with subprocess.Popen(
        command, cwd=ROOT, env=environ, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as suite:
        for line in suite.stdout or ():
            last = line.strip() or last
            say(last)
    failed = f"exit code {suite.returncode}: {last}" if suite.returncode else ""
    return Row(name=name, ours=time.monotonic() - before, unit="s", beside=last, failed=failed, holds=not failed)
