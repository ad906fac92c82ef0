"""The provider's side of a trial: a strict fake in a process of its own, a person on it, and what it has in the end.

It outlives every bot, mixes faults into what they ask for, and counts what *it* has.
"""

import asyncio
import json
import time
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import asdict, dataclass
from multiprocessing.connection import Connection

from agents.domain.ids import Thread
from bot.platforms.discord.notation import Place
from bot.platforms.slack import notation
from tests.fakes.discord import FakeDiscord
from tests.fakes.discord.trouble import Kind, Trouble
from tests.fakes.slack import fake_slack
from tests.fakes.slack.delivery import SIGNING_SECRET
from tests.fakes.slack.fake import CHANNEL
from tests.fakes.slack.faults import Fault
from tests.fakes.slack.server import APP_TOKEN, BOT_TOKEN
from tests.faults.killing import Main, Ready
from tests.scenarios.discord_stage import DiscordStage
from tests.scenarios.slack_stage import RETRIES, SlackStage
from tests.scenarios.stage import Stage

RESET, ERROR, LIMITED = 0.10, 0.05, 0.10  # shares of posts and edits that meet each fault
RETRY_AFTER = 0.2  # real seconds
ACKNOWLEDGED = 1.0  # real seconds after which an event that nobody acknowledged is sent again
PATIENCE = 120.0
WHO = "ana"
WHY = "we found a better way"


@dataclass(frozen=True, kw_only=True)
class Message:
    """One message in the thread, as the provider has it."""

    id: str
    text: str
    buttons: tuple[str, ...]
    by_bot: bool
    marks: int  # how often the bot marked it as noticed


@dataclass(frozen=True, kw_only=True)
class Held:
    """What the provider tells of one conversation."""

    thread: str
    messages: tuple[Message, ...]
    strays: tuple[str, ...]  # public messages of the bot that are not in the thread
    faults: int
    problem: str = ""

    @classmethod
    def read(cls, text: str) -> "Held":
        told = json.loads(text)
        return cls(**{**told, "messages": tuple(Message(**message) for message in told["messages"])})

    def dump(self) -> str:
        return json.dumps(asdict(self))


@dataclass(frozen=True, kw_only=True)
class Opened:
    """A stage, what the bot must be told to find it, and how to look at it."""

    stage: Stage
    environ: dict[str, str]
    look: Callable[[str, str], Held]  # thread, problem
    count: Callable[[str], int]  # messages of the bot in a thread


# A seed of the faults, 0 for a provider in good health, and a port that the bot may listen on.
Open = Callable[[AsyncExitStack, int, int], Awaitable[Opened]]


# ── Slack ───────────────────────────────────────────────────────────────────────────────────────────────────────


async def open_slack(stack: AsyncExitStack, seed: int, port: int) -> Opened:
    return await _slack(stack, seed, {"SLACK_APP_TOKEN": APP_TOKEN}, "")


async def open_slack_http(stack: AsyncExitStack, seed: int, port: int) -> Opened:
    environ = {"SLACK_SIGNING_SECRET": SIGNING_SECRET, "OVERLORD_HTTP_PORT": str(port)}
    return await _slack(stack, seed, environ, f"http://127.0.0.1:{port}/slack/events")


async def _slack(stack: AsyncExitStack, seed: int, how: dict[str, str], url: str) -> Opened:
    fake = await stack.enter_async_context(fake_slack())
    fake.deliveries.url = url
    fake.deliveries.times.acknowledge, fake.deliveries.times.retries = ACKNOWLEDGED, RETRIES * 5
    shares = {Fault.RESET_AFTER: RESET, Fault.ERROR_AFTER: ERROR, Fault.RATE_LIMITED: LIMITED}
    if seed:
        fake.server.faults.mix(shares, "chat.postMessage", "chat.update", seed=seed, retry_after=RETRY_AFTER)

    def look(thread: str, problem: str) -> Held:
        place = notation.place(thread) if thread else notation.Place(channel=CHANNEL, ts="")
        inside = [m for m in fake.world.messages if not m.only_for and place.ts in (m.ts, m.parent)]
        messages = tuple(
            Message(
                id=m.ts,
                text=f"{m.shown().words}\n{m.shown().text}",
                buttons=m.shown().labels,
                by_bot=bool(m.bot_id),
                marks=len(m.reactions.get("eyes", ())),
            )
            for m in inside
            if not m.files
        )
        strays = tuple(m.ts for m in fake.posts() if m not in inside)
        faults = len(fake.server.faults.made)
        return Held(thread=thread, messages=messages, strays=strays, faults=faults, problem=problem)

    def count(thread: str) -> int:
        ts = notation.place(thread).ts
        return sum(bool(m.bot_id) and m.parent == ts and not m.only_for for m in fake.world.messages)

    environ = {"SLACK_BOT_TOKEN": BOT_TOKEN, "SLACK_API_URL": fake.api_url, **how}
    return Opened(stage=SlackStage(fake), environ=environ, look=look, count=count)


# ── Discord ─────────────────────────────────────────────────────────────────────────────────────────────────────


async def open_discord(stack: AsyncExitStack, seed: int, port: int) -> Opened:
    fake = await stack.enter_async_context(FakeDiscord().running())
    shares = {Kind.RESET_AFTER: RESET, Kind.ERROR_AFTER: ERROR, Kind.LIMITED: LIMITED}
    if seed:
        fake.trouble = fake.http.trouble = Trouble(chances=shares, retry_after=RETRY_AFTER, seed=seed)

    def look(thread: str, problem: str) -> Held:
        root = Place.of(Thread(thread)).root if thread else ""
        first = [m for m in fake.general.messages if m.id == root]
        inside = [*first, *(fake.world.channels[root].public if root in fake.world.channels else ())]
        messages = tuple(
            Message(
                id=m.id,
                text=fake.seen(m).text,
                buttons=fake.seen(m).buttons,
                by_bot=m.author is fake.world.bot,
                marks=len(m.reactions.get("👀", ())),
            )
            for m in inside
        )
        strays = tuple(m.id for m in fake.general.public if m.author is fake.world.bot)
        faults = sum(fake.trouble.made.values())
        return Held(thread=thread, messages=messages, strays=strays, faults=faults, problem=problem)

    def count(thread: str) -> int:
        place = fake.world.channels.get(Place.of(Thread(thread)).root)
        return sum(m.author is fake.world.bot for m in place.public) if place else 0

    environ = {"DISCORD_TOKEN": fake.token, "DISCORD_API_URL": fake.api_url, "DISCORD_GATEWAY_URL": fake.gateway_url}
    return Opened(stage=DiscordStage(fake), environ=environ, look=look, count=count)


SURFACES: dict[str, Open] = {"slack": open_slack, "slack-http": open_slack_http, "discord": open_discord}


# ── the person ──────────────────────────────────────────────────────────────────────────────────────────────────


class Talk:
    """Mention, choose a project, change one's mind, confirm: a person who presses again when it failed."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self.thread = ""

    async def hold(self) -> None:
        self.thread = await self._stage.say(WHO, "add a health check", mention=True)
        await self._sees("which project is this for?", offering="api")
        await self._press("api")
        await self._sees("T-1 ·", "api")
        await self._stage.say(WHO, f"cancel because {WHY}", thread=self.thread)
        await self._sees("Cancel T-1?", offering="Cancel task")
        await self._press("Cancel task")
        await self._sees("T-1 ·", "Cancelled")

    async def _press(self, label: str) -> None:
        """A press that was not answered in time is made again, unless its button is gone by then."""
        late = time.monotonic() + PATIENCE
        while await self._offered(label):
            assert time.monotonic() < late, f"nobody answers {label}"
            try:
                await self._stage.press(WHO, self.thread, label, words=WHY)
                return
            except AssertionError:
                await asyncio.sleep(0.05)

    async def _offered(self, label: str) -> bool:
        return any(label in message.buttons for message in await self._stage.shown(WHO, self.thread))

    async def _sees(self, *words: str, offering: str = "") -> None:
        late = time.monotonic() + PATIENCE
        while True:
            for shown in await self._stage.shown(WHO, self.thread):
                there = all(word in shown.text for word in words) and (not offering or offering in shown.buttons)
                if shown.by_bot and there:
                    return
            assert time.monotonic() < late, f"never shown: {words} {offering}"
            await asyncio.sleep(0.02)


def a_provider(open: Open, seed: int, port: int, wire: Connection) -> Main:
    """Tells on the wire when the talk is over, and when it is asked, what there is."""

    async def main(ready: Ready) -> None:
        async with AsyncExitStack() as stack:
            opened = await open(stack, seed, port)
            ready(json.dumps(opened.environ))
            talk, problem = Talk(opened.stage), ""
            try:
                await talk.hold()
            except AssertionError as missing:
                problem = str(missing)
            wire.send(opened.look(talk.thread, problem).dump())
            while True:
                if wire.poll():
                    wire.recv()
                    wire.send(opened.look(talk.thread, problem).dump())
                await asyncio.sleep(0.02)

    return main
