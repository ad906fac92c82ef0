"""What Discord says is left of a rate limit: answers overtake each other, and a limit begins anew."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from aiohttp import web

from bot.messages import Later
from bot.platforms.discord.rest import Rest

PATH = "/channels/1/messages"


class Counter:
    """A server that says of each request what the test wrote down for it: what is left, until when, and how late."""

    def __init__(self, *answers: tuple[int, float, asyncio.Event | None]) -> None:
        self._answers = list(answers)
        self.asked = 0
        self.second = asyncio.Event()  # set once a second request has come

    async def answer(self, request: web.Request) -> web.Response:
        self.asked += 1
        if self.asked == 2:
            self.second.set()
        left, seconds, gate = self._answers.pop(0)
        if gate:
            await gate.wait()
        told = {"Limit": "6", "Remaining": str(left), "Reset-After": str(seconds)}
        return web.json_response({}, headers={f"X-RateLimit-{name}": value for name, value in told.items()})


@asynccontextmanager
async def served(counter: Counter) -> AsyncIterator[Rest]:
    app = web.Application()
    app.router.add_route("*", "/{rest:.*}", counter.answer)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    port = runner.addresses[0][1]
    try:
        async with Rest(f"http://127.0.0.1:{port}", "token") as rest:
            yield rest
    finally:
        await runner.cleanup()


async def ask(rest: Rest, times: int) -> int:
    """How many of so many calls were let through."""
    for number in range(times):
        try:
            await rest.call("POST", PATH, {})
        except Later:
            return number
    return times


async def test_an_answer_that_was_overtaken_gives_nothing_back() -> None:
    late = asyncio.Event()
    counter = Counter((4, 30, None), (3, 30, late), (2, 30, None), (1, 30, None), (0, 30, None))
    async with served(counter) as rest:
        await rest.call("POST", PATH, {})
        slow = asyncio.create_task(rest.call("POST", PATH, {}))
        await counter.second.wait()
        await rest.call("POST", PATH, {})  # says that two are left, before the slow one says three
        late.set()
        await slow
        assert await ask(rest, 4) == 2
    assert counter.asked == 5, "what was known to be refused was not asked"


async def test_a_limit_that_began_anew_counts_from_there() -> None:
    counter = Counter((1, 5, None), (5, 30, None), *((left, 30.0, None) for left in (4, 3, 2, 1, 0)))
    async with served(counter) as rest:
        assert await ask(rest, 9) == 7
    assert counter.asked == 7


async def test_before_the_limit_is_known_one_goes_ahead_and_the_others_wait_for_it() -> None:
    first = asyncio.Event()
    counter = Counter((1, 30, first), (0, 30, None))
    async with served(counter) as rest:
        calls = [asyncio.create_task(rest.call("POST", PATH, {})) for _ in range(4)]
        await asyncio.sleep(0.05)
        assert counter.asked == 1
        first.set()
        ends = await asyncio.gather(*calls, return_exceptions=True)
    assert counter.asked == 2
    assert [type(end) for end in ends] == [dict, dict, Later, Later]


@pytest.mark.parametrize("path", ["/channels/2/messages", "/users/@me"])
async def test_a_limit_of_one_place_holds_up_no_other(path: str) -> None:
    counter = Counter((0, 30, None), (5, 30, None))
    async with served(counter) as rest:
        assert await ask(rest, 2) == 1
        await rest.call("GET" if "users" in path else "POST", path)
    assert counter.asked == 2
