"""`overlord --help` answers before anything slow is loaded."""

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SLOW = {"litellm", "slack_bolt", "slack_sdk", "discord", "sqlalchemy", "apscheduler", "jinja2", "uvicorn", "psycopg"}
# What typer brings by itself counts for nothing: whatever it loads, help needs it.
SAY_WHAT_WAS_LOADED = """
import json, runpy, sys
import typer
before = len(sys.modules)
sys.argv = ["overlord", "--help"]
try:
    runpy.run_module("bot", run_name="__main__")
except SystemExit as end:
    assert not end.code, end.code
print("\\n" + json.dumps({"names": sorted(sys.modules), "before": before}))
"""


def loaded_by_help() -> tuple[set[str], int]:
    """The modules there are once help is printed, and how many of them typer brought."""
    done = subprocess.run(
        [sys.executable, "-c", SAY_WHAT_WAS_LOADED], cwd=ROOT, capture_output=True, text=True, check=True, timeout=60
    )
    told = json.loads(done.stdout.splitlines()[-1])
    return set(told["names"]), told["before"]


def test_help_loads_nothing_slow() -> None:
    names, _ = loaded_by_help()
    assert not SLOW & names


def test_help_loads_little_beside_typer() -> None:
    names, before = loaded_by_help()
    assert len(names) < 2 * before, sorted(names)
