"""What is open to the network stays open: silent, slow and countless connections cost nobody an answer."""

import asyncio
import logging
import os
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from itertools import cycle
from urllib.parse import urlsplit

import httpx
import pytest
from aiohttp import web

from agents.domain.limits import Limits
from bot.network import Address, ConnectionLimiter, LookUp
from bot.platforms.slack.options import SlackOptions
from bot.platforms.slack.transports import serve_http
from bot.queries import Answer
from bot.services import SystemClock
from tests.fakes.another_user import STRANGER, needs_root, start
from tests.fakes.console import console
from tests.fakes.slack.delivery import SIGNING_SECRET, signed

FEW, MANY = 6, 30
SOON = 0.2  # seconds
CALM = Limits(door_connections=2 * FEW, door_per_peer=FEW, door_first_byte=60, door_request=60)
STRICT = Limits(door_connections=99, door_per_peer=99, door_first_byte=SOON, door_request=SOON)

Connection = tuple[asyncio.StreamReader, asyncio.StreamWriter]


@dataclass
class Open:
    port: int
    path: str
    serves: Callable[[], Awaitable[bool]]  # a good request, over a connection of its own


@asynccontextmanager
async def console_door(limits: Limits) -> AsyncIterator[Open]:
    async def long() -> Answer:
        return Answer(text="x" * 40_000_000)

    async with console(limits=limits, extra={"/long": long}) as visit:

        async def serves() -> bool:
            async with httpx.AsyncClient(base_url=visit.url, timeout=10) as client:
                return (await client.get("/needs")).status_code == 200

        yield Open(visit.client.base_url.port or 0, "/say", serves)


@asynccontextmanager
async def slack_door(limits: Limits) -> AsyncIterator[Open]:
    async def take(body: str, headers: object) -> web.Response:
        return web.Response(text="heard")

    clock = SystemClock()
    options = SlackOptions(bot_token="", signing_secret=SIGNING_SECRET, http_port=0, now=clock.now, limits=limits)
    async with serve_http(options, take) as address:

        async def serves() -> bool:
            async with httpx.AsyncClient(timeout=10) as client:
                return (await client.post(address, content=b"{}", headers=signed(b"{}"))).text == "heard"

        yield Open(urlsplit(address).port or 0, "/slack/events", serves)


DOORS = pytest.mark.parametrize("door", [console_door, slack_door], ids=["console", "slack"])
Door = Callable[[Limits], AbstractAsyncContextManager[Open]]


async def connect(port: int, count: int = 1) -> list[Connection]:
    return [await asyncio.open_connection("127.0.0.1", port) for _ in range(count)]


async def seconds_until_ended(connection: Connection, at_most: float = 10) -> float:
    """How long it lives, whatever is said on it meanwhile."""
    began = time.monotonic()
    try:
        async with asyncio.timeout(at_most):
            while await connection[0].read(65_536):
                pass
    except ConnectionError:
        pass
    return time.monotonic() - began


async def trickle(connection: Connection, head: bytes) -> None:
    """A request that never ends, a byte at a time."""
    try:
        connection[1].write(head)
        for letter in cycle(b"x"):
            connection[1].write(bytes([letter]))
            await connection[1].drain()
            await asyncio.sleep(0.05)
    except ConnectionError:
        pass


def close(connections: list[Connection]) -> None:
    for _, writer in connections:
        writer.transport.abort()


def lines(caplog: pytest.LogCaptureFixture) -> list[logging.LogRecord]:
    return [record for record in caplog.records if record.levelno >= logging.WARNING]


@DOORS
async def test_silent_connections_make_room_and_the_log_stays_calm(
    door: Door, caplog: pytest.LogCaptureFixture
) -> None:
    async with door(CALM) as opened:
        silent = await connect(opened.port, MANY)
        for _ in range(3):
            assert await opened.serves()
        close(silent)
    assert [record.getMessage() for record in lines(caplog)] == ["connections were ended at the door"]


@DOORS
async def test_a_connection_that_says_nothing_is_ended(door: Door) -> None:
    async with door(STRICT) as opened:
        silent = await connect(opened.port)
        assert SOON / 2 < await seconds_until_ended(silent[0]) < 5


SLOW = {
    "in its first line": "POST {path}",
    "in its headers": "POST {path} HTTP/1.1\r\nHost: localhost:{port}\r\nX-Slow: ",
    "in its body": (
        "POST {path} HTTP/1.1\r\nHost: localhost:{port}\r\nOrigin: http://localhost:{port}\r\n"
        "X-Slack-Signature: v0=1\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 9999\r\n\r\na="
    ),
}


@DOORS
@pytest.mark.parametrize("where", SLOW)
async def test_a_request_that_trickles_in_is_ended(door: Door, where: str, caplog: pytest.LogCaptureFixture) -> None:
    async with door(STRICT) as opened:
        slow = await connect(opened.port, 4)
        head = SLOW[where].format(path=opened.path, port=opened.port).encode()
        writing = [asyncio.create_task(trickle(each, head)) for each in slow]
        lived = await asyncio.gather(*map(seconds_until_ended, slow))
        await asyncio.gather(*writing)
        assert all(SOON / 2 < seconds < 5 for seconds in lived), lived
        assert await opened.serves()
    assert len(lines(caplog)) == 1


async def test_whoever_takes_none_of_the_answer_is_left() -> None:
    async with console_door(STRICT) as opened:
        reader, writer = (await connect(opened.port))[0]
        writer.write(f"GET /long HTTP/1.1\r\nHost: localhost:{opened.port}\r\n\r\n".encode())
        await asyncio.sleep(3 * SOON)  # what the kernel holds is all that they get
        taken = 0
        with pytest.raises((ConnectionError, asyncio.IncompleteReadError)):
            while piece := await reader.readexactly(65_536):
                taken += len(piece)
        assert taken < 40_000_000


async def test_a_stream_that_is_read_lives_on_between_silent_ones() -> None:
    async with console_door(STRICT) as opened, httpx.AsyncClient() as client:
        url = f"http://127.0.0.1:{opened.port}"
        await client.get(f"{url}/needs")
        async with client.stream("GET", f"{url}/changes") as stream:
            pieces = stream.aiter_text()
            assert "hello" in await anext(pieces)
            close(await connect(opened.port, MANY))
            await asyncio.sleep(3 * SOON)
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(SOON):
                    while await anext(pieces, ""):
                        pass


# ── one peer and another ────────────────────────────────────────────────────────────────────────────────────────────


async def test_one_users_crowd_displaces_its_own_and_nobody_elses() -> None:
    strangers: set[int] = set()

    def owner(client: Address, server: Address) -> int:
        return STRANGER if client[1] in strangers else os.getuid()

    limiter = ConnectionLimiter("test", CALM, LookUp(at_once=owner))
    server = await asyncio.get_running_loop().create_server(lambda: _Greeting(limiter), "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    first = await connect(port, FEW)  # as many as one may have; the server has not looked at them yet
    strangers.update(range(1, 65_536))
    strangers.difference_update(writer.get_extra_info("sockname")[1] for _, writer in first)
    crowd = await connect(port, MANY)
    await asyncio.sleep(0.1)
    assert all(not reader.at_eof() and reader.exception() is None for reader, _ in first)
    gone = [reader for reader, _ in crowd if reader.exception() or reader.at_eof()]
    assert len(gone) == MANY - FEW
    close([*first, *crowd])
    server.close()
    limiter.close()


class _Greeting(asyncio.Protocol):
    def __init__(self, limiter: ConnectionLimiter) -> None:
        self._limiter = limiter

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._limiter.admit(transport)  # type: ignore[arg-type]


CROWD = """
import encodings.idna, os, socket, sys
port, count, user = map(int, sys.argv[1:])
os.setgroups([]), os.setresgid(user, user, user), os.setresuid(user, user, user)
held = [socket.create_connection(("127.0.0.1", port), timeout=20) for _ in range(count)]
print("here", flush=True)
sys.stdin.read()
"""


@needs_root
@DOORS
async def test_another_users_crowd_takes_nobodys_turn(door: Door) -> None:
    async with door(CALM) as opened:
        mine = await connect(opened.port, FEW - 1)
        crowd = await asyncio.to_thread(start, "-I", "-S", "-c", CROWD, str(opened.port), str(MANY), str(STRANGER))
        with crowd:
            assert crowd.stdout and crowd.stdin
            assert await asyncio.to_thread(crowd.stdout.readline) == "here\n"
            assert await opened.serves()
            assert all(not reader.at_eof() and reader.exception() is None for reader, _ in mine)
            close(mine)
            crowd.stdin.close()
