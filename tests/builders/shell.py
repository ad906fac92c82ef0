"""Helpers that the tests of cli entry share with others."""

import asyncio
import json
import logging
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import chdir, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from agents.domain.ids import Account, Thread
from bot.app import open_queries
from bot.config.settings_source import load_settings
from bot.config.state_folder import os_user
from bot.messages import Said

OVERLORD = Path(sys.executable).with_name("overlord")


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
        from bot.cli import app

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
            at=datetime.now(UTC),
        )
        async with open_queries(load_settings(self.environ, cwd=self.folder)) as desk:
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
