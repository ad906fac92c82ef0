"""A backup made while a minion waits for an answer goes on elsewhere, on another kind of database, to its merge."""

import asyncio
import os
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from agents.ports import Ask, Llm, Ports, Shape, Spent
from bot.app import Program, running
from bot.config.settings import Settings
from bot.config.settings_source import load_settings
from bot.queries.backup import UNFINISHED, NoBackup, restore_backup, write_backup
from store.backup import NotEmpty
from store.database import Database
from tests.fakes.postgres import PrivatePostgres
from tests.scenarios.console_stage import ConsoleStage
from tests.scenarios.rehearsed import REQUEST, WORK, git
from tests.scenarios.stage import until
from tests.store.history import VERSIONS, restore as write_history

pytestmark = pytest.mark.timeout(300)


class WithoutLastSubtask:
    """The rehearsed planner, whose third subtask would only take time: the second is the one that asks."""

    def __init__(self, llm: Llm) -> None:
        self._llm = llm

    async def ask(self, asked: Ask, shape: type[Shape]) -> tuple[Shape, Spent]:
        answer, spent = await self._llm.ask(asked, shape)
        if asked.question == "decompose":
            answer = answer.model_copy(update={"subtasks": answer.subtasks[:2]})  # type: ignore[attr-defined]
        return answer, spent


def shorter(ports: Ports) -> Ports:
    return replace(ports, llm=WithoutLastSubtask(ports.llm))


class Behind:
    program: Program | None = None


def settings_in(home: Path, **more: str) -> Settings:
    given = {"OVERLORD_HOME": str(home), "OVERLORD_CONSOLE_PORT": "0", "PATH": os.environ["PATH"], **more}
    return load_settings(given, cwd=home.parent, user="operator")


async def overlord(home: Path, *words: str, **environ: str) -> None:
    """As a person types it, beside the program."""
    given = {"HOME": str(home.parent), "PATH": os.environ["PATH"], **environ}
    command = [sys.executable, "-m", "bot", "--home", str(home), *words]
    done = await asyncio.create_subprocess_exec(*command, cwd=home.parent, env=given, stderr=asyncio.subprocess.PIPE)
    _, told = await done.communicate()
    assert done.returncode == 0, told.decode()


async def sees(stage: ConsoleStage, thread: str, *words: str) -> None:
    async def there() -> bool:
        shown = await stage.shown("operator", thread)
        return any(all(word in message.text for word in words) for message in shown)

    try:
        await until(there, patience=WORK)
    except AssertionError:
        shown = [message.text for message in await stage.shown("operator", thread)]
        pytest.fail(f"{words} did not come; there is:\n" + "\n---\n".join(shown))


async def test_work_under_way_goes_on_from_a_backup(tmp_path: Path, postgres: PrivatePostgres) -> None:
    old, new, archive = tmp_path / "old", tmp_path / "new", tmp_path / "backup.tar.gz"
    behind = Behind()
    stage = ConsoleStage(behind)
    async with running(settings_in(old), swap=shorter) as program:
        behind.program = program
        thread = await stage.say("operator", REQUEST, mention=True)
        await sees(stage, thread, "please look at the plan")
        await stage.press("operator", thread, "Approve plan")
        await sees(stage, thread, "T-1.2 asks")
        await overlord(old, "backup", str(archive))
    assert archive.stat().st_mode & 0o077 == 0, "it holds what the state folder holds"

    url = postgres.fresh()
    await overlord(new, "restore", str(archive), OVERLORD_DATABASE_URL=url)
    async with running(settings_in(new, OVERLORD_DATABASE_URL=url)) as program:
        behind.program = program
        await stage.say("operator", "The same as for an unknown code", thread=thread)
        await sees(stage, thread, "T-1.3 passed its checks")
        await stage.press("operator", thread, "Continue")
        await sees(stage, thread, "T-1 is ready to merge")
        await stage.press("operator", thread, "Merge it")
        await sees(stage, thread, "T-1 is merged")
    assert "T-1.1: " in git(new / "sample", "log", "--format=%s")


async def test_what_is_no_backup_is_refused_and_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "other.tar.gz").write_bytes(b"something else")
    settings = settings_in(tmp_path / "home")
    settings.home.mkdir()
    with pytest.raises(NoBackup, match="cannot be read"):
        restore_backup(settings, tmp_path / "other.tar.gz", print)
    assert not list(settings.home.iterdir())
    with pytest.raises(NoBackup, match="There is no database"):
        await write_backup(settings, tmp_path / "backup.tar.gz", print)


async def test_a_state_folder_in_use_is_never_written_over(tmp_path: Path) -> None:
    settings = settings_in(tmp_path / "home")
    (settings.home / "artefacts").mkdir(parents=True)
    (settings.home / "artefacts" / "T-1").mkdir()
    with pytest.raises(NoBackup, match="holds artefacts already"):
        restore_backup(settings, tmp_path / "backup.tar.gz", print)


async def a_backup(tmp_path: Path) -> Path:
    """Of an installation that never ran, with settings of its own."""
    old, archive = settings_in(tmp_path / "old"), tmp_path / "backup.tar.gz"
    (old.home / "repos").mkdir(parents=True)
    (old.home / "overlord.yaml").write_text("# of the backup\n")
    Database(old.database_url).close()
    await write_backup(old, archive, print)
    return archive


@pytest.mark.parametrize("cut", [40, -40], ids=["at its beginning", "at its end"])
async def test_an_archive_that_is_cut_short_changes_nothing_and_the_next_try_is_guarded(
    tmp_path: Path, cut: int
) -> None:
    archive = await a_backup(tmp_path)
    archive.write_bytes(archive.read_bytes()[:cut])
    settings = settings_in(tmp_path / "home")
    settings.home.mkdir()
    with pytest.raises(NoBackup, match="Name a file that `overlord backup` wrote"):
        restore_backup(settings, archive, print)
    (settings.home / "artefacts" / "T-1").mkdir(parents=True)
    with pytest.raises(NoBackup, match="holds artefacts already"):
        restore_backup(settings, archive, print)


async def test_no_file_moves_where_the_database_holds_tasks(tmp_path: Path) -> None:
    archive = await a_backup(tmp_path)
    settings = settings_in(tmp_path / "home")
    settings.home.mkdir()
    (settings.home / "overlord.yaml").write_text("# mine\n")
    write_history(VERSIONS[-1], settings.database_url)
    before = sorted(settings.home.iterdir())
    with pytest.raises(NotEmpty):
        restore_backup(settings, archive, print)
    assert (settings.home / "overlord.yaml").read_text() == "# mine\n"
    assert sorted(settings.home.iterdir()) == before


async def test_a_restore_that_was_cut_short_is_begun_anew(tmp_path: Path) -> None:
    archive = await a_backup(tmp_path)
    settings = settings_in(tmp_path / "home")
    settings.home.mkdir()

    def stop(moved: str) -> None:
        (settings.home / "repos" / "shop.git").mkdir(parents=True, exist_ok=True)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        restore_backup(settings, archive, stop)
    restore_backup(settings, archive, print)
    assert (settings.home / "overlord.yaml").read_text() == "# of the backup\n"
    assert not list((settings.home / "repos").iterdir())
    assert not (settings.home / UNFINISHED).exists()
