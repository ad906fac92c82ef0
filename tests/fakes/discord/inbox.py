"""An inbox and a gateway store without a store, so that the gateway can be tested alone."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from agents.domain.ids import DecisionId, Thread
from bot.messages import Button, Card, Choice, Delivery, Pressed, Said, Style
from bot.platforms.discord.gateway import open_gateway
from bot.platforms.discord.options import DiscordOptions, DiscordStore
from bot.platforms.discord.platform import DiscordPlatform
from store.database import StoreUnavailable
from tests.fakes.discord.server import FakeDiscord

PATIENCE = 60.0  # seconds; machines are shared, and waiting costs only who fails

COMMANDS = (
    {
        "name": "overlord",
        "type": 1,
        "description": "Ask for work",
        "options": [{"name": "words", "type": 3, "description": "Your request", "required": True}],
    },
)

DECISION = DecisionId("d" * 22)


def choice(letter: str) -> Choice:
    return Choice(decision=DECISION, letter=letter)


CARD = Card(
    title="T-1: please decide the plan",
    text="Two subtasks.",
    buttons=(
        Button(label="Approve plan", choice=choice("a"), style=Style.PRIMARY),
        Button(label="Request changes", choice=choice("b"), asks="What should change?"),
    ),
    more=(Button(label="Cancel task", choice=choice("c"), style=Style.DANGER, confirm="This cannot be undone."),),
    decision=DECISION,
)


@dataclass
class Kept(DiscordStore):
    """Stands for the database, and takes deliveries once each."""

    heard: list[Delivery] = field(default_factory=list)
    doubled: int = 0
    down: bool = False
    slow: float = 0.0
    cards: dict[str, Card] = field(default_factory=dict)  # by message
    known: list[Thread] = field(default_factory=list)
    marked: int = 0

    async def accept(self, delivery: Delivery) -> bool:
        await asyncio.sleep(self.slow)
        if self.down:
            raise StoreUnavailable("it is down")
        if any(known.key == delivery.key for known in self.heard):
            self.doubled += 1
            return False
        self.heard.append(delivery)
        return True

    async def button(self, thread: Thread, message: str, token: str) -> Button | None:
        card = self.cards.get(message, Card(title=""))
        return next((b for b in (*card.buttons, *card.more) if b.choice.token == token), None)

    async def knows(self, thread: Thread) -> bool:
        if self.down:
            raise StoreUnavailable("it is down")
        return any(known.thread == thread for known in self.heard)

    async def places(self, since: datetime) -> Sequence[Thread]:
        return self.known

    async def requests(self) -> Sequence[Thread]:
        return self.known

    async def cursor(self) -> int:
        return self.marked

    async def save_cursor(self, message: int) -> None:
        self.marked = message

    @property
    def texts(self) -> list[str]:
        return [said.text for said in self.heard if isinstance(said, Said)]

    async def said(self, count: int = 1, within: float = PATIENCE) -> list[Said]:
        await until(lambda: len(self.texts) >= count, within)
        return [d for d in self.heard if isinstance(d, Said)]

    async def pressed(self, count: int = 1, within: float = PATIENCE) -> list[Pressed]:
        await until(lambda: sum(isinstance(d, Pressed) for d in self.heard) >= count, within)
        return [d for d in self.heard if isinstance(d, Pressed)]


async def until(true: Callable[[], object], within: float = PATIENCE) -> None:
    late = time.monotonic() + within
    while not true():
        assert time.monotonic() < late, f"it did not happen within {within} s"
        await asyncio.sleep(0.01)


def options(fake: FakeDiscord, **change: object) -> DiscordOptions:
    """Patient enough for a busy machine, impatient enough for a test."""
    usual: dict[str, object] = {
        "token": fake.token,
        "api_url": fake.api_url,
        "gateway_url": fake.gateway_url,
        "commands": COMMANDS,
        "catch_up": timedelta(days=1),
        "timeout": 2.0,
        "beat": 0.2,
        "silence": 1.0,
    }
    return DiscordOptions(**(usual | change))  # type: ignore[arg-type]


@asynccontextmanager
async def listening(fake: FakeDiscord, kept: Kept, **change: object) -> AsyncIterator[DiscordPlatform]:
    """The real gateway on the fake, heard by `kept`."""
    async with open_gateway(options(fake, **change), kept.accept, kept) as platform:
        await fake.gateway.listened()
        yield platform
