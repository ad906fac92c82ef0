"""What was asked for in a direct message, as the console shows it: to others it looks as if it were not there."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, closing
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from pathlib import Path

import httpx
import pytest
from sqlalchemy import text

from agents.domain.decisions.authority import Group, Kind
from agents.domain.ids import Account, TaskId
from agents.ports import Pull
from agents.workspace.files.artefacts import FileArtefacts
from bot.live import ChangeNotifier
from bot.permissions import Permissions
from bot.platforms.console.server import running
from bot.platforms.console.sign_in import ConsoleOptions
from bot.queries.people_queries import PeopleQueries
from bot.queries.query_api import DirectQueries
from bot.services import Services
from store.database import Database
from store.running.port_adapters import open_pull
from store.transaction import Transaction
from tests.bot.event_stream import events
from tests.fakes.console import SECRET, visitor
from tests.store.room import UNLIMITED, HandClock, Room

SECRET_WORDS = "replace the payroll export"
OPEN_WORDS = "add a login page"
GROUPS = {Group.APPROVER: frozenset({"console:lead"}), Group.SECURITY_TEAM: frozenset({"console:sec"})}
PRIVATE, OPEN, MISSING = TaskId("T-1"), TaskId("T-2"), TaskId("T-9")


@dataclass
class House:
    """A console for several people. Ana asked for T-1 directly, and for T-2 in the channel."""

    room: Room
    url: str
    doors: AsyncExitStack
    inside: dict[str, httpx.AsyncClient] = field(default_factory=dict)

    async def enter(self, login: str) -> httpx.AsyncClient:
        if login in self.inside:
            return self.inside[login]
        client = self.inside[login] = await self.doors.enter_async_context(visitor(self.url))
        csrf = (await client.get("/login")).text.partition('name="csrf" value="')[2].partition('"')[0]
        token = await PeopleQueries(self.room.office).issue_token(login)
        entered = await client.post("/login", data={"csrf": csrf, "name": login, "token": token, "next": "/needs"})
        assert entered.status_code == 303
        return client

    async def say(self, client: httpx.AsyncClient, words: str, channel: str) -> None:
        page = (await client.get("/needs")).text
        csrf = page.partition('data-csrf="')[2].partition('"')[0]
        said = await client.post("/say", data={"csrf": csrf, "nonce": self.room.key("nonce").replace(":", "-"),
                                               "channel": channel, "text": words})  # fmt: skip
        assert said.status_code == 303, said.text


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[House]:
    async with AsyncExitStack() as stack:
        bell = ChangeNotifier()
        bell.attach()
        database = stack.enter_context(closing(Database(f"sqlite:///{tmp_path / 'overlord.db'}", bell.notify)))
        permissions = Permissions(GROUPS, frozenset({Account("cli:operator")}))
        office = Services(database=database, permissions=permissions, clock=HandClock(), limits=UNLIMITED)
        room, kept = Room(office), FileArtefacts(tmp_path)
        desk = DirectQueries(office, room.inbox, bell, kept)
        options = ConsoleOptions(port=0, secret=SECRET, login="", now=office.clock.now, sessions=PeopleQueries(office))
        url = await stack.enter_async_context(running(desk, options))
        made = House(room, url, await stack.enter_async_context(AsyncExitStack()))
        ana = await made.enter("ana")
        await made.say(ana, SECRET_WORDS, "@ana")
        await made.say(ana, f"@overlord {OPEN_WORDS}", "general")
        for task in (PRIVATE, OPEN):
            await kept.keep(f"{task}.diff", "diff --git a/x b/x\n")
            await database.write(partial(_pulled, task, office.clock.now()))
        yield made


def _pulled(task: TaskId, at: datetime, tx: Transaction) -> None:
    pull = Pull(key=task, project="shop", branch=f"ai/{task.lower()}", head="0" * 40, title=task, body="")
    assert open_pull(tx, pull, "main", at).number == int(task.removeprefix("T-"))


PLACES = ("/task/{}", "/task/{}/kept/{}.diff")


async def shown(client: httpx.AsyncClient, task: TaskId) -> set[int]:
    """How the task's pages answer."""
    return {(await client.get(place.format(task, task))).status_code for place in PLACES}


async def told(client: httpx.AsyncClient, task: TaskId) -> list[tuple[int, str]]:
    """What its pages say, without the task's own name and what changes from one page to the next."""
    answers = [await client.get(place.format(task, task)) for place in PLACES]
    return [(a.status_code, a.text.partition("<main")[2].replace(task, "T-…")) for a in answers]


@pytest.mark.parametrize(("login", "sees"), [("ana", True), ("lead", True), ("ben", False), ("sec", False)])
async def test_its_owner_and_approvers_see_it_and_nobody_else(house: House, login: str, sees: bool) -> None:
    client = await house.enter(login)
    for path in ("/tasks", "/tasks?ended=1"):
        listed = (await client.get(path)).text
        assert OPEN_WORDS in listed
        assert (SECRET_WORDS in listed, f"/task/{PRIVATE}" in listed) == (sees, sees)
    assert await shown(client, PRIVATE) == {200 if sees else 404}
    assert await shown(client, OPEN) == {200}


async def test_to_a_stranger_it_is_as_if_it_were_not_there(house: House) -> None:
    ben = await house.enter("ben")
    assert await told(ben, PRIVATE) == await told(ben, MISSING)
    for odd in ("9" * 20, "9" * 5000, "-1", "1.0", "%D9%A3", "inf"):
        assert (await ben.get(f"/pulls/shop/{odd}")).status_code == 404
    pull, none = await ben.get("/pulls/shop/1"), await ben.get("/pulls/shop/9")
    assert (pull.status_code, none.status_code, (await ben.get("/pulls/shop/2")).status_code) == (404, 404, 303)


async def test_whoever_must_decide_sees_it_while_they_must_and_after_they_have(house: House) -> None:
    sec, ben = await house.enter("sec"), await house.enter("ben")
    task = await house.room.database.read(lambda tx: tx.log.task(PRIVATE))
    gate = await house.room.ask(task, "gate_high")
    for path in ("/needs", "/tasks"):
        assert f"/task/{PRIVATE}" in (await sec.get(path)).text
        assert f"/task/{PRIVATE}" not in (await ben.get(path)).text
    assert await shown(sec, PRIVATE) == {200}
    assert (await house.room.press(Account("console:sec"), gate, "a")).state == "handled"
    assert await shown(sec, PRIVATE) == {200}
    assert await shown(ben, PRIVATE) == {404}


async def heard(client: httpx.AsyncClient, after: str, last: str) -> set[str]:
    """All that a stream names, up to a name that ends it."""
    names = set[str]()
    async with client.stream("GET", "/changes", params={"after": after}) as stream:
        async for event in events(stream.aiter_text()):
            assert event["event"] in ("change", "needs")
            if event["event"] == "needs":  # a number alone
                assert "T-" not in event["data"]
                continue
            names |= set(event["data"].strip("[]").replace('"', "").split(", "))
            if last in names:
                break
    return names


async def test_a_stream_does_not_name_it_to_a_stranger(house: House) -> None:
    ana, ben = await house.enter("ana"), await house.enter("ben")
    mark = (await ben.get("/needs")).text.partition('data-at="')[2].partition('"')[0]
    await house.say(ana, "one thing more", "@ana")  # becomes T-3
    private = await house.room.database.read(lambda tx: tx.log.task(PRIVATE))
    await house.room.ask(private, Kind.PLAN)
    await house.room.ask(await house.room.database.read(lambda tx: tx.log.task(OPEN)), Kind.PLAN)
    by_ben, by_ana = await heard(ben, mark, OPEN), await heard(ana, mark, OPEN)
    assert by_ana >= {PRIVATE, "T-3", OPEN, private.request.thread}
    assert by_ben <= {OPEN, "needs", *(name for name in by_ben if name.startswith("console:general:"))}


async def test_what_runs_for_it_is_not_shown_to_a_stranger(house: House) -> None:
    ana, ben = await house.enter("ana"), await house.enter("ben")
    mark = (await ben.get("/needs")).text.partition('data-at="')[2].partition('"')[0]
    looks = {"after": mark, "live": PRIVATE}
    with house.room.office.show(PRIVATE, 1)("python export.py") as heard_by:
        heard_by("row 1 of the payroll\n")
        assert "row 1 of the payroll" in (await ana.get(f"/task/{PRIVATE}")).text
        async with ana.stream("GET", "/changes", params=looks) as stream:
            first = await anext(events(stream.aiter_text()))
            assert first["event"] == "live" and "row 1 of the payroll" in first["data"]
        async with ben.stream("GET", "/changes", params=looks) as stream:
            heard_by("row 2 of the payroll\n")
            await house.room.ask(await house.room.database.read(lambda tx: tx.log.task(OPEN)), Kind.PLAN)
            async for event in events(stream.aiter_text()):
                assert event["event"] in ("change", "needs")
                if OPEN in event["data"]:
                    break
        with house.room.office.show(OPEN, 1)("pytest -q"):
            async with ben.stream("GET", "/changes", params={"after": mark, "live": OPEN}) as stream:
                kinds = [(await anext(each))["event"] for each in [events(stream.aiter_text())] for _ in range(3)]
            assert kinds == ["change", "needs", "live"]


async def test_a_command_answers_of_it_only_to_those_who_may_see_it(house: House) -> None:
    room = house.room
    private = await room.database.read(lambda tx: tx.log.task(PRIVATE))
    await room.ask(private, Kind.PLAN)

    async def answer(login: str, words: str, channel: str = "general") -> str:
        client = await house.enter(login)
        before = set(await room.announce())
        await house.say(client, f"@overlord {words}", channel)
        new = [key for key in await room.announce() if key.startswith(("reply:", "whisper:")) and key not in before]
        wanted = text("SELECT body FROM posts WHERE key = :key")
        body: str = await room.database.read(lambda tx: tx.db.execute(wanted, {"key": new[0]}).scalar_one())
        return body

    for words in ("status T-1", "why T-1", "cost T-1", "stop T-1", "approve T-1"):
        assert "There is no task T-1" in await answer("ben", words)
    assert OPEN_WORDS in await answer("ben", "tasks", "@ben")
    assert SECRET_WORDS not in await answer("ben", "tasks", "@ben")
    assert SECRET_WORDS in await answer("ana", "status T-1", "@ana")
    # others read along in a channel, so there it is not listed even for those who may see it
    assert SECRET_WORDS in await answer("ana", "tasks", "@ana")
    assert SECRET_WORDS not in await answer("ana", "tasks")
    assert SECRET_WORDS in await answer("lead", "what needs me", "@lead")
    assert "1 thing needs you in private" in await answer("lead", "what needs me")
