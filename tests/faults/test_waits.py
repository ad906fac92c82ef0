"""What a provider asked to be left alone is left alone even by the next process, and by nothing longer (P12).

The bot's clock runs twenty times as fast as the provider's, so the times in its outbox are over long before.
"""

import asyncio
import json
from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import asdict, dataclass, replace
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import pytest

from agents.domain.ids import Thread
from bot.platforms.discord.notation import Place
from tests.fakes.discord import FakeDiscord
from tests.fakes.discord.trouble import Kind
from tests.fakes.slack import fake_slack
from tests.fakes.slack.faults import Fault
from tests.fakes.slack.server import APP_TOKEN, BOT_TOKEN
from tests.faults.chat_trial import the_bot
from tests.faults.console_trial import furnished
from tests.faults.killing import Main, Mortal, Ready, living, until
from tests.faults.outside import Outside
from tests.scenarios.discord_stage import DiscordStage
from tests.scenarios.slack_stage import RETRIES, SlackStage
from tests.scenarios.stage import Stage

ASKED = 4.0  # real seconds
WHO = "ana"


@dataclass(frozen=True, kw_only=True)
class Request:
    """One request at the provider."""

    what: str  # method and channel
    at: float
    limited: bool = False


@dataclass(frozen=True, kw_only=True)
class Limited:
    """A provider that refuses the first post, and what it then saw."""

    stage: Stage
    environ: dict[str, str]
    seen: Callable[[], list[Request]]
    shown: Callable[[str], int]  # how many messages of the bot a thread holds


async def open_slack(stack: AsyncExitStack) -> Limited:
    fake = await stack.enter_async_context(fake_slack())
    fake.deliveries.times.retries = RETRIES
    fake.server.faults.plan("chat.postMessage", Fault.RATE_LIMITED, seconds=ASKED)

    def seen() -> list[Request]:
        return [
            Request(what=f"{call.method} {call.given.get('channel')}", at=call.at, limited=call.error == "429")
            for call in fake.server.calls
        ]

    environ = {"SLACK_BOT_TOKEN": BOT_TOKEN, "SLACK_API_URL": fake.api_url, "SLACK_APP_TOKEN": APP_TOKEN}
    return Limited(stage=SlackStage(fake), environ=environ, seen=seen, shown=lambda thread: len(fake.posts()))


async def open_discord(stack: AsyncExitStack) -> Limited:
    fake = await stack.enter_async_context(FakeDiscord().running())
    fake.trouble.retry_after = ASKED
    fake.trouble.plan(Kind.LIMITED)

    def seen() -> list[Request]:
        found = zip(fake.http.seen, fake.http.seen_at, strict=True)
        requests = [Request(what=f"{method} {path}", at=at) for (method, path), at in found]
        first = next((r for r in requests if r.what.startswith("POST") and r.what.endswith("/messages")), None)
        return [replace(request, limited=request is first) for request in requests]

    def shown(thread: str) -> int:
        root = Place.of(Thread(thread)).root
        return len(fake.world.channels[root].public) if root in fake.world.channels else 0

    environ = {"DISCORD_TOKEN": fake.token, "DISCORD_API_URL": fake.api_url, "DISCORD_GATEWAY_URL": fake.gateway_url}
    return Limited(stage=DiscordStage(fake), environ=environ, seen=seen, shown=shown)


OPEN = {"slack": open_slack, "discord": open_discord}


def a_provider(name: str, wire: "Connection[Any, Any]") -> Main:
    """Someone asks for work; then it tells what it saw whenever it is asked."""

    async def main(ready: Ready) -> None:
        async with AsyncExitStack() as stack:
            limited = await OPEN[name](stack)
            ready(json.dumps(limited.environ))
            thread = await limited.stage.say(WHO, "add a health check", mention=True)
            while True:
                if wire.poll():
                    wire.recv()
                    wire.send(([asdict(request) for request in limited.seen()], limited.shown(thread)))
                await asyncio.sleep(0.01)

    return main


class Wire:
    def __init__(self, end: "Connection[Any, Any]") -> None:
        self._end = end

    def look(self) -> tuple[list[Request], int]:
        self._end.send("look")
        requests, shown = self._end.recv()
        return [Request(**request) for request in requests], shown

    @property
    def limited(self) -> Request | None:
        return next((request for request in self.look()[0] if request.limited), None)


def kept(home: Path) -> int:
    outside = Outside(home / "overlord.db")
    if not outside.exists:
        return 0
    with outside.look() as glimpse:
        return glimpse.count("waits")


@pytest.mark.timeout(120)
@pytest.mark.parametrize("platform", ["slack", "discord"])
def test_after_a_kill_nothing_is_asked_again_before_its_time_and_the_post_arrives_once(
    platform: str, tmp_path: Path
) -> None:
    home, (ours, theirs) = furnished(tmp_path), Pipe()
    wire = Wire(ours)
    with living(Mortal(a_provider(platform, theirs), home / "provider.log")) as provider:
        bot = Mortal(the_bot(home, json.loads(provider.address)), home / "bot.log")
        with living(bot):
            until(lambda: wire.limited is not None and kept(home) > 0, bot, what="a 429")
            bot.kill()
            bot.start()
            until(lambda: wire.look()[1] >= 2, bot, what="the status card and the question")
            requests, shown = wire.look()
    (limited,) = [request for request in requests if request.limited]
    again = min(request.at for request in requests if request.what == limited.what and not request.limited)
    assert again - limited.at >= ASKED, "asked again too early"
    assert any(limited.at < r.at < again and r.what != limited.what for r in requests), "all else goes on"
    assert shown == 2, "each post arrives once"
