"""The console as a stage: people act through the desk, as the console's pages do for them."""

import uuid
from contextlib import AsyncExitStack
from datetime import UTC, datetime
from typing import Protocol

from sqlalchemy import select

from agents.domain.ids import Account, Thread, derive_id
from bot.app import Program
from bot.messages import Edited, Pressed, Said, load_card
from bot.queries.query_api import QueryApi
from store import tables
from tests.fakes import manners
from tests.scenarios.stage import Host, Setup, Shown, wait_for_button

CHANNEL = "console:general"


class Hosting(Protocol):
    """Whoever runs the program."""

    @property
    def program(self) -> Program | None: ...


class ConsoleStage:
    """Implements tests.scenarios.stage.Stage."""

    name = "console"
    channel = CHANNEL

    def __init__(self, host: Hosting | None = None) -> None:
        self.host = host

    def account(self, who: str) -> Account:
        return Account(f"console:{who}")

    async def say(self, who: str, text: str, *, thread: str = "", mention: bool = False, direct: bool = False) -> str:
        key = self._key(who)
        message = derive_id("console", key)
        channel = f"console:@{who}" if direct else CHANNEL
        place = Thread(thread or f"{channel}:{message}")
        said = Said(
            key=key,
            thread=place,
            channel=place.rpartition(":")[0],
            message=message,
            by=self.account(who),
            name=who,
            text=text,
            mentions_bot=mention,
            addresses_other="@" in text,
            direct=direct or place.startswith("console:@"),
            at=datetime.now(UTC),
        )
        await self._desk.hear(said)
        return place

    def name_in_text(self, who: str) -> str:
        return f"@{who}"

    def alone(self, who: str, thread: str) -> str:
        return thread

    async def edit(self, who: str, thread: str, text: str) -> None:
        channel, _, message = thread.rpartition(":")
        edited = Edited(
            key=self._key(who),
            thread=Thread(thread),
            channel=channel,
            message=message,
            by=self.account(who),
            text=text,
            at=datetime.now(UTC),
        )
        await self._desk.hear(edited)

    async def press(self, who: str, thread: str, label: str, words: str = "") -> None:
        await wait_for_button(self, who, thread, label)
        seen = await self._desk.conversation(Thread(thread), self.account(who))
        assert seen, f"no thread {thread}"
        on, token = next(
            (message.id, button.choice.token)
            for message in reversed(seen.messages)
            if message.card
            for button in (*message.card.buttons, *message.card.more)
            if button.label == label
        )
        await self.press_token(who, thread, on, token, words)

    async def press_token(self, who: str, thread: str, message: str, token: str, words: str = "") -> None:
        pressed = Pressed(
            key=self._key(who),
            thread=Thread(thread),
            channel=thread.rpartition(":")[0],
            message=message,
            by=self.account(who),
            name=who,
            token=token,
            words=words,
            at=datetime.now(UTC),
        )
        await self._desk.hear(pressed)

    async def shown(self, who: str, thread: str) -> list[Shown]:
        seen = await self._desk.conversation(Thread(thread), self.account(who))
        return [
            Shown(
                text=message.card.fallback if message.card else message.text,
                buttons=tuple(b.label for b in (*message.card.buttons, *message.card.more)) if message.card else (),
                by_bot=message.card is not None,
                private=message.private,
            )
            for message in (seen.messages if seen else ())
        ]

    async def whispers(self, who: str, thread: str) -> list[Shown]:
        return [shown for shown in await self.shown(who, thread) if shown.private]

    async def is_seen(self, thread: str) -> bool:
        seen = await self._desk.conversation(Thread(thread), Account("console:nobody"))
        return bool(seen and seen.messages[0].seen)

    async def complaints(self) -> list[str]:
        if self.host is None or self.host.program is None:
            return []
        shown = select(tables.messages.c.card).where(tables.messages.c.card != "")
        database = self.host.program.services.database
        cards = await database.read(lambda tx: [*tx.db.execute(shown).scalars()])
        return manners.of_cards(load_card(card) for card in cards)

    @property
    def _desk(self) -> QueryApi:
        assert self.host and self.host.program, "the program is not running"
        return self.host.program.queries

    @staticmethod
    def _key(who: str) -> str:
        return f"console:{who}:{uuid.uuid4()}"


async def open_stage(stack: AsyncExitStack, setup: Setup) -> tuple[ConsoleStage, Host]:
    stage = ConsoleStage()
    host = Host(setup, stage, {})
    stage.host = host
    stack.push_async_callback(host.stop)
    await host.start()
    return stage, host
