"""`overlord --help` answers, and `overlord up` opens its door, before anything slow is loaded."""

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
# What a browser or a job needs is loaded once the door is open.
LATE = {"litellm", "slack_bolt", "slack_sdk", "discord", "apscheduler", "jinja2", "psycopg", "typer", "PIL", "aiohttp"}
SAY_WHAT_UP_LOADS = """
import asyncio, json, os, sys
from pathlib import Path
import bot.__main__, bot.start
from bot.app import open_queries
from bot.config.platforms import load, platforms
from bot.logs import set_up_logs
from bot.config.settings_source import load_settings

async def open_and_close(settings):
    async with open_queries(settings):
        pass

settings = load_settings(os.environ, cwd=Path.cwd())
set_up_logs(settings.log_level, settings.secrets)
asyncio.run(open_and_close(settings))
load(platforms()[0].connect)
print(json.dumps(sorted(sys.modules)))
"""


def loaded_by_help() -> tuple[set[str], int]:
    """The modules there are once help is printed, and how many of them typer brought."""
    done = subprocess.run(
        [sys.executable, "-c", SAY_WHAT_WAS_LOADED], cwd=ROOT, capture_output=True, text=True, check=True, timeout=120
    )
    told = json.loads(done.stdout.splitlines()[-1])
    return set(told["names"]), told["before"]


def test_help_loads_nothing_slow() -> None:
    names, _ = loaded_by_help()
    assert not SLOW & names


def test_help_loads_little_beside_typer() -> None:
    names, before = loaded_by_help()
    assert len(names) < 2 * before, sorted(names)


def test_up_loads_nothing_slow_before_its_door_is_open(tmp_path: Path) -> None:
    environ = {"HOME": str(tmp_path), "OVERLORD_HOME": str(tmp_path / "home"), "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", SAY_WHAT_UP_LOADS],
        cwd=tmp_path,
        env=environ,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    names = set(json.loads(done.stdout))
    assert {"bot.platforms.console.server", "store.database"} <= names
    assert not LATE & names
