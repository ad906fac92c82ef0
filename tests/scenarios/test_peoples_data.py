"""People's data, through the command line: what a person said is removed, and an old task is moved into a file."""

from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from agents.domain.ids import Account
from agents.domain.limits import Retention
from bot.app import running
from bot.config.settings import Settings
from bot.running.upkeep import archive_tasks
from store.database import Database
from tests.scenarios.console_stage import ConsoleStage
from tests.scenarios.test_backup import Behind, overlord, sees, settings_in
from tests.store.room import HandClock, office_of
from tests.store.test_forgetting import tables_with

REQUEST = "Let links expire after a chosen number of days"
OPERATOR = Account("console:operator")
pytestmark = pytest.mark.timeout(300)


async def cancelled_task(settings: Settings) -> None:
    """Asked for, planned, remarked upon and cancelled."""
    behind = Behind()
    stage = ConsoleStage(behind)
    async with running(settings) as program:
        behind.program = program
        thread = await stage.say("operator", REQUEST, mention=True)
        await sees(stage, thread, "please look at the plan")
        await overlord(settings.home, "tasks", "cancel", "T-1", "--reason", "nobody follows links that are so old")
        await sees(stage, thread, "T-1", "cancelled")


async def test_what_a_person_said_is_in_no_table_any_more(tmp_path: Path) -> None:
    settings = settings_in(tmp_path / "home")
    await cancelled_task(settings)
    said = ("after a chosen number of days", "links that are so old")
    with closing(Database(settings.database_url)) as database:
        assert all([len(await tables_with(database, words)) > 3 for words in said])
        people = await database.read(lambda tx: tx.people.all())
    for person in people:  # who types is another person than who asked, unless they were linked
        await overlord(settings.home, "people", "forget", person.accounts[0], "--yes")
    with closing(Database(settings.database_url)) as database:
        assert [await tables_with(database, words) for words in said] == [set(), set()]
    await overlord(settings.home, "doctor")
    async with running(settings) as program:
        page = await program.queries.page((await program.queries.tasks(OPERATOR, ended=True))[0].id, OPERATOR)
        assert page and "removed at the request of its author" in page.status.fallback


async def test_an_old_task_is_read_from_its_file(tmp_path: Path) -> None:
    settings = settings_in(tmp_path / "home")
    await cancelled_task(settings)
    with closing(Database(settings.database_url)) as database:
        now = (await database.read(lambda tx: tx.log.tasks(ended=True)))[0].changed_at
        office = office_of(database, HandClock(now + timedelta(days=40)))
        keeping = replace(office, retention=Retention(archived=30))
        assert await archive_tasks(keeping, settings.home / "archive") == 1
    await overlord(settings.home, "tasks", "show", "T-1", "--archived")
    await overlord(settings.home, "doctor")
    with pytest.raises(AssertionError, match="T-1 ended long ago and is archived"):
        await overlord(settings.home, "tasks", "show", "T-1")
