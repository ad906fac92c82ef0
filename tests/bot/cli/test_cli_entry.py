"""The `overlord` command itself: how it starts, what it costs, how it fails; and a shell to run it in."""

import re
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

from tests.builders.shell import OVERLORD, Shell

HEAVY = ("litellm", "slack_bolt", "slack_sdk", "discord", "sqlalchemy", "apscheduler", "starlette", "rich", "aiohttp")


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path)


@pytest.mark.parametrize("words", [["--help"], ["--version"], ["tasks", "--help"], ["manifest", "slack"]])
def test_what_needs_nothing_heavy_imports_nothing_heavy(words: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "bot", *words], capture_output=True, text=True, check=True
    )
    imported = {line.rpartition("|")[2].strip().partition(".")[0] for line in done.stderr.splitlines()}
    needed = {"sqlalchemy"} if words[0] == "tasks" else set()  # a group imports what its commands need
    assert "typer" in imported and not imported & set(HEAVY) - needed


def test_help_names_every_command(shell: Shell) -> None:
    told = shell.run("--help").out
    known = [
        "up",
        "demo",
        "doctor",
        "init",
        "projects",
        "models",
        "ask",
        "tasks",
        "queue",
        "decisions",
        "proposals",
        "people",
        "skills",
        "knowledge",
        "supervisors",
        "engines",
        "metrics",
        "roles",
        "workflows",
        "settings",
        "backup",
        "restore",
        "manifest",
    ]
    assert re.findall(r"^  (\w+)  ", told, re.M) == known
    assert shell.run(code=2).out + shell.run(code=2).err, "with no command it says which there are"


def test_the_version_is_the_installed_one(shell: Shell) -> None:
    assert shell.run("--version").out == f"overlord {version('overlord')}\n"


@pytest.mark.parametrize(
    "words",
    [
        ["tasks", "show"],
        ["nonsense"],
        ["tasks", "cancel", "T-1"],
        ["tasks", "cancel", "T-1", "--reason", " "],
        ["people", "link", "ana", "bo"],
        ["people", "token", "not a login"],
        ["manifest", "teams"],
        ["up", "--nonsense"],
    ],
)
def test_a_wrong_call_is_exit_2(shell: Shell, words: list[str]) -> None:
    assert "Error" in shell.spawn(*words, code=2).err


def test_bad_settings_are_told_at_once_and_without_a_traceback(shell: Shell) -> None:
    told = shell.spawn("tasks", code=1, OVERLORD_CONSOLE_PORT="x", OVERLORD_APPROVERS="*").err
    assert "OVERLORD_CONSOLE_PORT" in told and "OVERLORD_APPROVERS" in told and "Fix them" in told
    assert not shell.home.exists()


def test_another_package_named_agents_is_told_plainly(shell: Shell, tmp_path: Path) -> None:
    stranger = tmp_path / "site" / "agents"
    stranger.mkdir(parents=True)
    (stranger / "__init__.py").touch()
    told = shell.spawn("--help", code=1, PYTHONPATH=str(stranger.parent)).err
    assert f"`import agents` finds {stranger}" in told and "virtual environment" in told


def test_the_command_and_the_module_are_one() -> None:
    by_module = subprocess.run([sys.executable, "-m", "bot", "--help"], capture_output=True, text=True, check=True)
    by_command = subprocess.run([OVERLORD, "--help"], capture_output=True, text=True, check=True)
    assert by_module.stdout == by_command.stdout
