"""An old installation: nothing is missing from its lists, and a page costs what it shows, not what there is.

What a page costs is counted, not timed: cards that were made for it, and steps of SQLite's machine.
"""

import asyncio
import re
import socket
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, closing
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import httpx
import pytest
from sqlalchemy import event

from agents.domain.decisions.authority import Kind
from agents.domain.ids import TaskId
from agents.domain.text.redact import Redactor
from agents.workspace.files.artefacts import FileArtefacts
from bot.live import ChangeNotifier
from bot.permissions import Permissions
from bot.platforms.console.pages import NEEDS_SHOWN, TASKS_SHOWN, THREADS_SHOWN
from bot.platforms.console.server import _bind, running
from bot.platforms.console.sign_in import ConsoleOptions
from bot.queries import Portion
from bot.queries.query_api import DirectQueries
from bot.services import Services
from store.database import Database
from tests.bot.filling import fill
from tests.builders.shell import Shell
from tests.fakes.console import SECRET, visitor
from tests.store.room import MORNING, OPERATOR, UNLIMITED, HandClock, Room

PAGES = ("/c/general", "/direct", "/thread/console:general:T-1", "/needs", "/tasks", "/tasks?ended", "/task/T-1")
COUNTED, LISTED = 15, 60  # steps of SQLite's machine for a decision that is counted, or found and not shown


@dataclass
class Counter:
    """What was done since it was last asked."""

    steps: int = 0
    texts: int = 0
    redactor: Redactor = field(default_factory=Redactor)

    def step(self) -> None:
        self.steps += 1

    def redact(self, text: str) -> str:
        self.texts += 1
        return self.redactor(text)

    def watch(self, driver: object, record: object) -> None:
        driver.set_progress_handler(self.step, 1)  # type: ignore[attr-defined]


@dataclass
class House:
    desk: DirectQueries
    room: Room
    counter: Counter
    client: httpx.AsyncClient

    async def get(self, path: str) -> str:
        answer = await self.client.get(path)
        assert answer.status_code == 200, path
        return answer.text

    async def cost(self, path: str) -> Counter:
        """The second time: what is decoded once and kept is kept."""
        await self.get(path)
        self.counter.steps = self.counter.texts = 0
        await self.get(path)
        return Counter(steps=self.counter.steps, texts=self.counter.texts)


@asynccontextmanager
async def house_of(place: Path, tasks: int, asked: int) -> AsyncIterator[House]:
    """So many tasks, of which the newest ask the operator something."""
    async with AsyncExitStack() as stack:
        bell, counter = ChangeNotifier(), Counter()
        bell.attach()
        database = stack.enter_context(closing(Database(f"sqlite:///{place}-overlord.db", bell.notify)))
        event.listen(database._reader, "connect", counter.watch)
        permissions = Permissions({}, frozenset({OPERATOR}))
        office = Services(
            database=database, permissions=permissions, clock=HandClock(), limits=UNLIMITED, redact=counter.redact
        )
        room = Room(office)
        await database.write(partial(fill, tasks, asked))
        desk = DirectQueries(office, room.inbox, bell, FileArtefacts(place))
        options = ConsoleOptions(port=0, secret=SECRET, login="operator", now=office.clock.now)
        client = await stack.enter_async_context(visitor(await stack.enter_async_context(running(desk, options))))
        yield House(desk, room, counter, client)


async def test_the_1001st_decision_is_found_everywhere(tmp_path: Path) -> None:
    async with house_of(tmp_path, 1_020, 1_010) as house:
        newest, me = TaskId("T-1020"), OPERATOR
        assert await house.desk.count_needs(me) == 1_010
        last = Portion(skip=1_009)
        for found in (await house.desk.needs(me, last), await house.desk.waiting(me, last)):
            assert [need.task.id for need in found] == [newest]
        assert "may we 1020?" in await house.get(f"/task/{newest}")
        assert "may we 1020?" in await house.get("/needs?page=101")
        assert "1010 decisions wait" in await house.get("/needs")
        [need] = await house.desk.waiting(me, Portion(search="MAY 1020?"))
        assert need.mine and need.task.id == newest
        assert [need.task.id for need in await house.desk.needs(me, Portion(search="t-1019"))] == ["T-1019"]


async def test_lists_go_on_to_their_end(tmp_path: Path) -> None:
    async with house_of(tmp_path, 120, 25) as house:
        shown = {
            "/needs": ("need-head", NEEDS_SHOWN, 25),
            "/tasks?ended": ('id="row-', TASKS_SHOWN, 120),
            "/c/general": ('id="thread-', THREADS_SHOWN, 120),
        }
        for path, (mark, page, all) in shown.items():
            counts = [text.count(mark) for text in [text async for text in _pages(house, path)]]
            assert sum(counts) == all and set(counts[:-1]) == {page}, path


async def _pages(house: House, path: str) -> AsyncIterator[str]:
    while path:
        text = await house.get(path)
        yield text
        onward = re.search(r'href="([^"]+)" rel="next"', text)
        path = onward[1].replace("&amp;", "&") if onward else ""


@pytest.mark.parametrize(
    "path", ["/needs?page=99999999999", "/needs?page=x", "/tasks?before=T-²", "/task/T-1?before=-1"]
)
async def test_a_page_that_no_list_has_is_a_page_all_the_same(tmp_path: Path, path: str) -> None:
    async with house_of(tmp_path, 2, 2) as house:
        assert "T-1" in await house.get(path)


async def test_what_is_searched_for_is_taken_literally(tmp_path: Path) -> None:
    async with house_of(tmp_path, 3, 3) as house:
        assert "T-2" in await house.get("/tasks?q=add+LOGIN")
        for nothing in ("%25", "_", "x'--", "add+logout"):
            assert "No such task is found" in await house.get(f"/tasks?q={nothing}")
        assert "None of them is here" in await house.get("/needs?q=%25")


async def test_a_page_costs_what_it_shows(tmp_path: Path) -> None:
    """All that may grow is the count of what waits: a few steps in an index for each."""
    async with house_of(tmp_path / "young", 60, 25) as young, house_of(tmp_path / "old", 360, 150) as old:
        for path in PAGES:
            before, after = await young.cost(path), await old.cost(path)
            more = (LISTED if path == "/needs" else COUNTED) * (150 - 25)
            assert after.texts == before.texts, f"{path}: as many cards as before"
            assert after.steps - before.steps <= more, f"{path}: {after.steps} steps after {before.steps}"


async def test_a_page_that_shows_no_decision_makes_no_card(tmp_path: Path) -> None:
    async with house_of(tmp_path, 3, 3) as house:
        for path in ("/direct", "/tasks", "/c/general"):
            assert (await house.cost(path)).texts == 0, path


async def test_an_answer_in_two_parts_is_sent_at_once(tmp_path: Path) -> None:
    """Asyncio switches Nagle off for what is named as TCP alone; else most pages took 40 ms longer."""
    with closing(_bind(ConsoleOptions(port=0, secret=SECRET, login="operator", now=lambda: MORNING))) as bound:
        assert bound.proto == socket.IPPROTO_TCP


async def test_needs_rings_when_a_decision_changes_and_for_nothing_else(tmp_path: Path) -> None:
    told: list[frozenset[str]] = []
    with closing(Database(f"sqlite:///{tmp_path / 'overlord.db'}", told.append)) as database:
        room = Room(Services(database=database, permissions=Permissions({}, frozenset({OPERATOR})),
                           clock=HandClock(), limits=UNLIMITED))  # fmt: skip
        rings: dict[str, bool] = {}

        async def took(name: str) -> None:
            await database.write(lambda tx: None)  # what was touched is told after the answer
            rings[name] = "needs" in frozenset[str]().union(*told)
            told.clear()

        task = await room.task(OPERATOR)
        await took("a task with its controls")
        await room.say(OPERATOR, "please hurry", task.request.thread)
        await took("a remark")
        decision = await room.ask(task, Kind.PLAN)
        await took("a decision opens")
        await room.press(OPERATOR, decision, "a")
        await took("a decision is made")
    assert rings == {
        "a task with its controls": False,
        "a remark": False,
        "a decision opens": True,
        "a decision is made": True,
    }


def test_commands_say_where_they_stop_and_go_on_from_there(tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    shell.run("tasks")
    with closing(Database(f"sqlite:///{shell.home / 'overlord.db'}")) as database:
        asyncio.run(database.write(partial(fill, 210, 205)))
    newest = shell.run("tasks", "--all", "--json")
    assert len(newest.json) == 200 and "there are more" in newest.err and "--before T-11" in newest.err
    rest = shell.run("tasks", "--all", "--json", "--before", "T-11")
    assert [task["id"] for task in rest.json] == [f"T-{n}" for n in range(10, 0, -1)] and not rest.err
    oldest = shell.run("decisions", "--json")
    assert len(oldest.json) == 200 and "--page 2" in oldest.err
    assert [one["task"] for one in shell.run("decisions", "--json", "--page", "2").json][-1] == "T-210"
    assert [one["task"] for one in shell.run("decisions", "--json", "--search", "t-209").json] == ["T-209"]
    assert "is no task" in shell.run("tasks", "--before", "T-x", code=1).err
