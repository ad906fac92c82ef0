"""Slack's events: how fast one is accepted for good, beside bare Bolt; and how long Slack waits at ten times its cap.

A signed event is verified over its raw bytes, parsed by Bolt, understood, stored with a full sync and acknowledged.
"""

import asyncio
import json
import os
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from statistics import median, quantiles

import aiohttp

from bot.intake.inbox import Inbox
from bot.live import ChangeNotifier
from bot.platforms.slack.gateway import _Gateway
from bot.platforms.slack.options import SlackOptions, SlackStore
from bot.platforms.slack.payloads import Me
from bot.platforms.slack.transports import verify
from bot.platforms.slack.web_client import SlackClient
from bot.services import Services, SystemClock
from tests.bench.bolt_peer import BareBolt
from tests.bench.floor import ROOT, folder
from tests.bench.office import open_office
from tests.bench.rows import Row, Say, compared
from tests.fakes.ports import free_port
from tests.fakes.slack import FakeSlack, fake_slack
from tests.fakes.slack.delivery import SIGNING_SECRET, _wrapped, signed
from tests.fakes.slack.fake import CHANNEL
from tests.fakes.slack.people import MENTION
from tests.fakes.slack.server import BOT_TOKEN
from tests.fakes.slack.world import BOT, BOT_USER, TEAM

EVENTS, AT_ONCE, ROUNDS = 600, 200, 11
PER_SECOND = 83  # ten times what Slack sends at most: 30,000 an hour
SHORT, LONG = 15, 60  # seconds
PATIENCE = 60.0  # seconds for the program to listen
PEOPLE, ASKING = 40, 25  # so many talk; every so many-th message is for the bot

Take = Callable[[bytes, Mapping[str, str]], Awaitable[int]]


def run(say: Say) -> list[Row]:
    """Throughput beside bare Bolt, and a short time at 83 events a second."""
    with folder() as place:
        ours, theirs = asyncio.run(_throughput(place, say))
    beside = f"bare Bolt dispatch of the same event, {AT_ONCE} at once"
    return [compared("accept_event", ours, theirs, beside=beside, most=2.0), *_at_83(say, SHORT)]


def run_long(say: Say) -> list[Row]:
    return _at_83(say, LONG)


# ── throughput ──────────────────────────────────────────────────────────────────────────────────────────────────


async def _throughput(place: Path, say: Say) -> tuple[list[float], list[float]]:
    bare = BareBolt(SIGNING_SECRET, TEAM, BOT_USER)
    ours: list[float] = []
    theirs: list[float] = []
    async with open_office(place, ChangeNotifier()) as office, fake_slack() as fake, _door(fake, office) as take:
        fake.world.add_user("U0ANA", "Ana")
        for number in range(-1, ROUNDS):
            mine = await _seconds(take, f"a{number}")
            bolt = await _seconds(bare.take, f"b{number}", bare.idle)
            say(f"round {number + 1}: Overlord {1 / mine:.0f}, bare Bolt {1 / bolt:.0f} events/s")
            if number >= 0:  # the first warms up
                ours.append(mine)
                theirs.append(bolt)
    return ours, theirs


@asynccontextmanager
async def _door(fake: FakeSlack, office: Services) -> AsyncIterator[Take]:
    """The gateway behind its door, without a socket in between, so that no HTTP server dilutes the difference."""
    options = SlackOptions(
        bot_token=BOT_TOKEN, signing_secret=SIGNING_SECRET, api_url=fake.api_url, now=SystemClock().now
    )
    async with aiohttp.ClientSession() as session:
        store = SlackStore("slack", office.database)
        gateway = _Gateway(options, SlackClient(options, session), Inbox(office).accept, store)
        gateway._receiver = gateway._receive_for(Me(team_id=TEAM, user_id=BOT_USER, bot_id=BOT))

        async def take(body: bytes, headers: Mapping[str, str]) -> int:
            verify(headers, body, SIGNING_SECRET, time.time())
            return (await gateway._by_http(body.decode(), headers)).status

        yield take
        await gateway.stop()


async def _seconds(take: Take, name: str, idle: Callable[[], Awaitable[None]] | None = None) -> float:
    """Seconds an event, of many that come at once, until nothing is left to do for them."""
    requests = [_request(f"{name}-{number}", number) for number in range(EVENTS)]
    turns = asyncio.Semaphore(AT_ONCE)

    async def one(body: bytes, headers: Mapping[str, str]) -> None:
        async with turns:
            assert await take(body, headers) == 200

    before = time.perf_counter()
    await asyncio.gather(*(one(*request) for request in requests))
    if idle:
        await idle()
    return (time.perf_counter() - before) / EVENTS


def _request(name: str, number: int) -> tuple[bytes, dict[str, str]]:
    ts = f"{time.time():.0f}.{abs(hash(name)) % 10**6:06}"
    event = {"type": "message", "channel": "D0ANA", "channel_type": "im", "user": "U0ANA", "ts": f"{ts}{number}"}
    body = json.dumps(_wrapped({**event, "text": f"talk {number}", "event_ts": ts})).encode()
    return body, {**signed(body), "Content-Type": "application/json"}


# ── at 83 events a second ───────────────────────────────────────────────────────────────────────────────────────


def _at_83(say: Say, seconds: int) -> list[Row]:
    with folder() as home:
        took = asyncio.run(_talk(home, seconds))
    return told("ack_at_83", took, f"the whole program, {PER_SECOND}/s for {seconds} s", say)


def told(name: str, took: list[float], when: str, say: Say) -> list[Row]:
    """P10, of so many acknowledgements."""
    late = sum(each > 3.0 for each in took)
    p99, worst = quantiles(took, n=100)[98], max(took)
    p50 = median(took)
    say(f"{len(took)} events: p50 {p50 * 1e3:.1f}, p99 {p99 * 1e3:.1f}, worst {worst * 1e3:.0f} ms")
    failed = f"{late} events were not acknowledged within 3 s" if late else ""
    what = f"from Slack's event to its ack, {when}"
    return [
        Row(name=f"{name}_p99", ours=p99 * 1e3, most_ours=500, beside=what),
        Row(name=f"{name}_worst", ours=worst * 1e3, most_ours=3000, beside=what, failed=failed),
    ]


async def _talk(home: Path, seconds: int) -> list[float]:
    """The fake and its people are here; the program is a process of its own."""
    port = free_port()
    async with fake_slack() as fake:
        fake.deliveries.url = f"http://127.0.0.1:{port}/slack/events"
        environ = {"SLACK_BOT_TOKEN": BOT_TOKEN, "SLACK_API_URL": fake.api_url, "SLACK_SIGNING_SECRET": SIGNING_SECRET}
        async with program(home, {**environ, "OVERLORD_HTTP_PORT": str(port)}, partial(_listens, port)):
            return await talked(fake, seconds)


@asynccontextmanager
async def program(
    home: Path, environ: Mapping[str, str], listens: Callable[[], Awaitable[bool]]
) -> AsyncIterator[None]:
    """Until it listens, and then while the block runs."""
    base = {name: value for name, value in os.environ.items() if not name.startswith(("OVERLORD_", "PYTHON"))}
    here = {"PYTHONPATH": str(ROOT), "HOME": str(home), "OVERLORD_HOME": str(home), "OVERLORD_CONSOLE_PORT": "0"}
    with (home / "log").open("w") as log:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "bot", "up"), cwd=home, env={**base, **here, **environ}, stdout=log, stderr=log
        )
    try:
        async with asyncio.timeout(PATIENCE):
            while not await listens():
                assert process.returncode is None, (home / "log").read_text()[-2000:]
                await asyncio.sleep(0.1)
        await asyncio.sleep(1.0)  # it knows who it is a moment later
        yield
    finally:
        process.terminate()
        await process.wait()


async def _listens(port: int) -> bool:
    try:
        _, writer = await asyncio.open_connection("127.0.0.1", port)
    except OSError:
        return False
    writer.close()
    return True


async def talked(fake: FakeSlack, seconds: int) -> list[float]:
    began = time.monotonic()
    for number in range(PER_SECOND * seconds):
        user, asking = f"U0P{number % PEOPLE:03}", number % ASKING == 0
        fake.say(user, CHANNEL, f"{MENTION} help" if asking else f"talk {number}")
        await asyncio.sleep(max(0.0, began + (number + 1) / PER_SECOND - time.monotonic()))
    await fake.deliveries.settled(30)
    people = [sent for sent in fake.deliveries.sent if not sent.payload["event"].get("bot_id")]
    return [sent.acknowledged if sent.acknowledged is not None else 99.0 for sent in people]
