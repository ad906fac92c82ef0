"""Live updates: what a page hears, what it catches up on, and how its stream ends."""

import asyncio
import time

from bot.platforms.console.server import running
from bot.platforms.console.sign_in import ConsoleOptions
from bot.platforms.console.stream import KEPT, PULSE, Changes
from tests.bot.event_stream import events, mark
from tests.fakes.console import SECRET, console, visitor
from tests.fakes.desk import ScriptedDesk


async def test_a_page_hears_what_changed_after_it_was_made() -> None:
    async with console() as visit:
        after = await mark(visit)
        visit.desk.changed("needs", "T-1")
        async with visit.client.stream("GET", "/changes", params={"after": after}) as stream:
            assert stream.headers["content-type"].startswith("text/event-stream")
            heard = events(stream.aiter_text())
            first = await anext(heard)
            assert (first["event"], first["data"]) == ("change", '["T-1", "needs"]')
            count = await anext(heard)
            assert count["event"] == "needs" and "needs-count" in count["data"] and "id" not in count
            visit.desk.changed("console:general:x")
            assert (await anext(heard))["data"] == '["console:general:x"]'


async def test_a_page_that_was_away_catches_up() -> None:
    async with console() as visit:
        after = await mark(visit)
        async with visit.client.stream("GET", "/changes", params={"after": after}) as stream:
            visit.desk.changed("T-1")
            last = (await anext(events(stream.aiter_text())))["id"]
        visit.desk.changed("T-2")
        visit.desk.changed("T-3")
        async with visit.client.stream("GET", "/changes", headers={"Last-Event-ID": last}) as stream:
            assert (await anext(events(stream.aiter_text())))["data"] == '["T-2", "T-3"]'


async def test_after_a_restart_a_page_reads_everything_again() -> None:
    async with console() as visit:
        for unknown in ("", "other-5", "nonsense", "-", "other-x"):
            async with visit.client.stream("GET", "/changes", params={"after": unknown}) as stream:
                assert (await anext(events(stream.aiter_text())))["event"] == "all"


async def test_what_was_dropped_is_not_guessed() -> None:
    desk = ScriptedDesk()
    changes = Changes(desk)
    following = asyncio.create_task(changes.follow())
    await asyncio.sleep(0)
    early = changes.mark
    for n in range(KEPT + 2):
        desk.changed(f"T-{n}")
    await asyncio.sleep(0.01)
    assert changes.since(early) is None
    assert changes.since(changes.mark) == frozenset()
    boot = changes.mark.partition("-")[0]
    assert [changes.since(f"{boot}-{odd}") for odd in ("9" * 20, "9" * 5000, "²", "٣", "", "-1")] == [None] * 6
    following.cancel()


async def test_direct_lines_of_others_are_not_even_named() -> None:
    async with console() as visit:
        after = await mark(visit)
        visit.desk.changed("console:@ben:secret", "console:@ana:mine")
        async with visit.client.stream("GET", "/changes", params={"after": after}) as stream:
            assert (await anext(events(stream.aiter_text())))["data"] == '["console:@ana:mine"]'


async def test_open_streams_do_not_hold_up_the_end() -> None:
    desk = ScriptedDesk()
    options = ConsoleOptions(port=0, secret=SECRET, now=lambda: desk.clock)
    async with running(desk, options) as url:
        client = visitor(url)
        visit = await client.__aenter__()
        streams = [visit.stream("GET", "/changes") for _ in range(5)]
        opened = [await stream.__aenter__() for stream in streams]
        started = time.monotonic()
    assert time.monotonic() - started < PULSE, "nobody waits for the next pulse"
    for stream in opened:
        assert "hello" in "".join([chunk async for chunk in stream.aiter_text()])
    await client.__aexit__(None, None, None)
