"""The console's rig: its messages are rows of ours, looked at through a second connection."""

import itertools
import time
from contextlib import AsyncExitStack
from pathlib import Path

from agents.domain.ids import Account, Thread
from bot.messages import load_card
from bot.platforms.console.platform import ConsolePlatform
from bot.services import SystemClock
from store.database import Database
from store.transaction import Transaction
from tests.conformance.rig import Visible

MANY = 1000


class ConsoleRig:
    """Implements tests.conformance.rig.Rig."""

    ana = Account("console:ana")
    bo = Account("console:bo")

    def __init__(self, database: Database) -> None:
        self._database = database
        self._numbers = itertools.count(1)
        self.platform = ConsolePlatform(database, SystemClock())

    async def thread(self) -> Thread:
        message = f"m{next(self._numbers)}-{time.time_ns()}"
        thread, now = Thread(f"console:general:{message}"), SystemClock().now()

        def begin(tx: Transaction) -> None:
            tx.threads.start(thread, "console:general", self.ana, now)
            tx.messages.keep(thread, message, self.ana, "hello", now)

        await self._database.write(begin)
        return thread

    async def visible(self, thread: Thread, to: Account) -> list[Visible]:
        kept, _ = await self._database.read(lambda tx: tx.messages.in_thread(thread, to, MANY))
        cards = [(k, load_card(k.card)) for k in kept if k.card]
        return [
            Visible(
                id=k.message,
                text=card.fallback,
                tokens=tuple(b.choice.token for b in (*card.buttons, *card.more)),
                private=bool(k.only_for),
            )
            for k, card in cards
        ]

    async def noticed(self, thread: Thread) -> int:
        kept, _ = await self._database.read(lambda tx: tx.messages.in_thread(thread, self.ana, MANY))
        return int(kept[0].seen)

    async def pinged(self, thread: Thread) -> set[Account]:
        """The console has no pings: "For you" shows what waits. A card still says whom it is for."""
        kept, _ = await self._database.read(lambda tx: tx.messages.in_thread(thread, self.ana, MANY))
        return {account for k in kept if k.card for account in load_card(k.card).notify}


async def open_rig(stack: AsyncExitStack, folder: Path) -> ConsoleRig:
    database = Database(f"sqlite:///{folder / 'overlord.db'}")
    stack.callback(database.close)
    return ConsoleRig(database)
