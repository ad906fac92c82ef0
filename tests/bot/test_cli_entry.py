"""The `overlord` command itself: how it starts, what it costs, how it fails; and a shell to run it in."""

import asyncio
import json
import logging
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import chdir, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from agents.domain.ids import Account, Thread
from bot.app import open_desk
from bot.config.settings import load_settings, os_user
from bot.messages import Said

OVERLORD = Path(sys.executable).with_name("overlord")
HEAVY = ("litellm", "slack_bolt", "slack_sdk", "discord", "sqlalchemy", "apscheduler", "starlette", "rich", "aiohttp")


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


class Shell:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.home = folder / "state"
        self.environ = {"HOME": str(folder), "PATH": os.environ["PATH"], "OVERLORD_HOME": str(self.home)}

    def run(self, *words: str, code: int = 0, **environ: str) -> Answer:
        """Run it in this process, where a start costs nothing; unless told otherwise it must go well."""
        from bot.cli.root import app

        unset = dict.fromkeys(os.environ.keys() - {"PATH"})
        with chdir(self.folder), _logging_as_it_was():
            done = CliRunner().invoke(app, words, env={**unset, **self.environ, **environ}, catch_exceptions=False)
        return _expected(Answer(code=done.exit_code, out=done.stdout, err=done.stderr), code)

    def spawn(self, *words: str, code: int = 0, **environ: str) -> Answer:
        """Run it as a person does."""
        done = subprocess.run(
            [OVERLORD, *words],
            cwd=self.folder,
            env={**self.environ, **environ},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        return _expected(Answer(code=done.returncode, out=done.stdout, err=done.stderr), code)

    def ask(self, request: str, by: str = "console:bo") -> None:
        """Someone asks for work in the console."""
        asyncio.run(self._ask(request, by))

    async def _ask(self, request: str, by: str) -> None:
        number = os.urandom(6).hex()
        said = Said(
            key=f"test:{number}",
            thread=Thread(f"console:general:{number}"),
            channel="console:general",
            message=number,
            by=Account(by),
            name=by.partition(":")[2],
            text=request,
            mentions_bot=True,
            starts_thread=True,
            at=datetime.now(UTC),
        )
        async with open_desk(load_settings(self.environ, cwd=self.folder)) as desk:
            heard = await desk.hear(said)
        assert heard and not heard.refused, heard


ME = os_user()


def _expected(answer: Answer, code: int) -> Answer:
    assert answer.code == code, f"exit {answer.code}\n{answer.out}\n{answer.err}"
    assert "Traceback" not in answer.err, answer.err
    return answer


@contextmanager
def _logging_as_it_was() -> Iterator[None]:
    """A command sets up logging for its process; this one has more to do."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    try:
        yield
    finally:
        root.handlers[:] = handlers
        root.setLevel(level)


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path)


@pytest.mark.parametrize("words", [["--help"], ["--version"], ["tasks", "--help"], ["manifest", "slack"]])
def test_what_needs_nothing_heavy_imports_nothing_heavy(words: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "bot", *words], capture_output=True, text=True, check=True
    )
    imported = {line.rpartition("|")[2].strip().partition(".")[0] for line in done.stderr.splitlines()}
    assert "typer" in imported and not imported & set(HEAVY)


def test_help_names_every_command(shell: Shell) -> None:
    told = shell.run("--help").out
    known = [
        "up",
        "demo",
        "doctor",
        "tasks",
        "decisions",
        "proposals",
        "people",
        "skills",
        "roles",
        "settings",
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
    assert "OVERLORD_CONSOLE_PORT" in told and "OVERLORD_APPROVERS" in told and "Mend them" in told
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
