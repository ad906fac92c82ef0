"""What runs at this moment, on a task's page: there at once, then by the stream, then gone."""

import asyncio
import json
from collections.abc import AsyncIterator

import pytest

from agents.domain.ids import Account, Thread
from agents.domain.task.task import TaskState
from tests.bot.event_stream import events, mark
from tests.fakes.console import Visit, console, text_of
from tests.fakes.desk import ScriptedDesk

HERE = Thread("console:general:here")


@pytest.fixture
def desk() -> ScriptedDesk:
    made = ScriptedDesk()
    made.write(HERE, "console:general", Account("console:ana"), "add login")
    made.open_task(HERE, "add login", state=TaskState.RUNNING)
    return made


async def pictures(stream: AsyncIterator[dict[str, str]]) -> AsyncIterator[str]:
    async for event in stream:
        if event["event"] == "live":
            assert "id" not in event, "a picture cannot be caught up on"
            yield json.loads(event["data"])


async def until(wanted: str, stream: AsyncIterator[str]) -> str:
    async with asyncio.timeout(60):
        async for picture in stream:
            if wanted in text_of(picture):
                return picture
    raise AssertionError(f"{wanted} was never shown")


async def test_a_page_shows_what_runs_and_nothing_in_it_is_markup(desk: ScriptedDesk) -> None:
    async with console(desk) as visit:
        assert "Running now" not in (await visit.get("/task/T-1")).text
        with desk.runs("echo '<b>bold</b>'", 2) as minion, desk.runs("pytest -q", 3, "tests"):
            minion("<script>alert(1)</script>\n")
            page = (await visit.get("/task/T-1")).text
            said = text_of(page)
            assert "Running now T-1.2 runs echo '<b>bold</b>' for" in said
            assert "T-1.3 , gate tests, runs pytest -q for" in said and "Nothing said yet." in said
            assert "&lt;script&gt;alert(1)" in page and "<script>alert" not in page and "<b>bold" not in page
        assert "Running now" not in (await visit.get("/task/T-1")).text


async def test_an_open_page_is_told_as_it_goes_on_and_when_it_is_over(desk: ScriptedDesk) -> None:
    async with console(desk) as visit:
        looks = {"after": await mark(visit), "live": "T-1"}
        async with visit.client.stream("GET", "/changes", params=looks) as stream:
            seen = pictures(events(stream.aiter_text()))
            assert "Running now" not in await anext(seen), "the first comes at once, whatever there is"
            with desk.runs("make") as heard:
                await until("T-1.1 runs make", seen)
                heard("compiling\nghp_aB3dE5gH7jK9mN1pQ3sT5vX7zA9cE1gI3kM5\n")
                picture = await until("compiling", seen)
                assert "[secret]" in picture and "aB3dE5gH7j" not in picture
                heard("compiling\nlinking\n")
                await until("compiling linking", seen)
            assert "Running now" not in await anext(seen)


async def test_other_pages_are_not_woken(desk: ScriptedDesk) -> None:
    async with console(desk) as visit:
        looks = {"after": await mark(visit)}
        async with visit.client.stream("GET", "/changes", params=looks) as stream:
            with desk.runs("make") as heard:
                heard("compiling\n")
                await _told(visit)
                desk.changed("T-1")
                assert (await anext(events(stream.aiter_text())))["event"] == "change"


async def _told(visit: Visit) -> None:
    """Until a page that looks has seen it."""
    async with visit.client.stream("GET", "/changes", params={"live": "T-1"}) as stream:
        await until("compiling", pictures(events(stream.aiter_text())))
