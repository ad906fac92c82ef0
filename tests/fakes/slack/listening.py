"""The real gateway against the fake, with a list for an inbox."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, TypeVar

from agents.domain.errors import OverlordError
from agents.domain.ids import Thread
from bot.messages import Delivery, Edited, Pressed, Said
from bot.platforms.slack.gateway import open_gateway
from bot.platforms.slack.options import SlackOptions, SlackStore
from bot.platforms.slack.platform import SlackPlatform
from tests.fakes.ports import free_port
from tests.fakes.slack.delivery import SIGNING_SECRET
from tests.fakes.slack.fake import FakeSlack, fake_slack
from tests.fakes.slack.server import APP_TOKEN, BOT_TOKEN

SOCKET, HTTP = "socket", "http"
_NONE: Mapping[Thread, str] = {}
Kind = TypeVar("Kind", bound=Delivery)


@dataclass
class Listening(SlackStore):
    """What was heard, each delivery once, as the store would keep it."""

    fake: FakeSlack
    heard: list[Delivery] = field(default_factory=list)
    broken: bool = False
    slow: float = 0.0
    keys: set[str] = field(default_factory=set)
    again: int = 0  # deliveries that had come before
    threads: Mapping[Thread, str] = field(default_factory=dict)  # threads from before, each with the last that was said
    marked: int = 0
    platform: SlackPlatform = field(init=False)

    async def accept(self, delivery: Delivery) -> bool:
        await asyncio.sleep(self.slow)
        if self.broken:
            raise OverlordError("the store is away", next_step="Wait.")
        mine = {delivery.key, delivery.also if isinstance(delivery, Said) else ""} - {""}
        if mine & self.keys:
            self.again += 1
            return False
        self.keys |= mine
        self.heard.append(delivery)
        return True

    @property
    def said(self) -> list[Said]:
        return [d for d in self.heard if isinstance(d, Said)]

    @property
    def edited(self) -> list[Edited]:
        return [d for d in self.heard if isinstance(d, Edited)]

    @property
    def pressed(self) -> list[Pressed]:
        return [d for d in self.heard if isinstance(d, Pressed)]

    # ── bot.platforms.slack.options.SlackStore ────────────────────────────────────────────────────────────────

    async def is_ours(self, thread: Thread, message: str) -> bool:
        mine = [said.message for said in self.said if said.thread == thread]
        return message >= min(mine) if mine else thread in self.threads

    async def last_heard(self, since: datetime) -> Mapping[Thread, str]:
        return self.threads

    async def cursor(self) -> int:
        return self.marked

    async def save_cursor(self, message: int) -> None:
        self.marked = message

    async def until(self, true: Callable[[], object], within: float = 60.0) -> None:
        clock = asyncio.get_running_loop().time
        late = clock() + within
        while not true():
            assert clock() < late, f"it did not come to pass within {within} s"
            await asyncio.sleep(0.01)


def options_for(fake: FakeSlack, mode: str) -> SlackOptions:
    options = SlackOptions(
        bot_token=BOT_TOKEN,
        api_url=fake.api_url,
        now=lambda: datetime.now(UTC),
        posts_apart=0.0,
        ping=0.4,
        deaf_after=1.5,
        http_port=free_port(),
    )
    if mode == SOCKET:
        return replace(options, app_token=APP_TOKEN)
    fake.deliveries.url = f"http://127.0.0.1:{options.http_port}/slack/events"
    return replace(options, signing_secret=SIGNING_SECRET)


@asynccontextmanager
async def listening(mode: str, threads: Mapping[Thread, str] = _NONE, **change: Any) -> AsyncIterator[Listening]:
    """A gateway that is up and heard."""
    async with fake_slack() as fake, joined(fake, mode, threads=threads, **change) as there:
        yield there


@asynccontextmanager
async def joined(
    fake: FakeSlack,
    mode: str,
    known: frozenset[str] = frozenset(),
    threads: Mapping[Thread, str] = _NONE,
    store: SlackStore | None = None,
    **change: Any,
) -> AsyncIterator[Listening]:
    """`known`: keys of what was heard before; `threads`: where, each with the last that was said in it."""
    there = Listening(fake, keys=set(known), threads=threads)
    options = replace(options_for(fake, mode), **change)
    async with open_gateway(options, there.accept, store or there) as platform:
        there.platform = platform
        if mode == SOCKET:
            await there.until(lambda: fake.sockets.open)
        yield there
