"""The console as a chat platform: its messages live in our own store, so a post and its key are one row."""

from functools import partial
from urllib.parse import quote

from agents.domain.ids import Account, Thread, derived
from agents.ports import Clock
from bot.messages import Bounds, Card, Gone, Unsure, dump_card
from store.books import Books
from store.database import Database, Result, StoreUnavailable, Transaction


class ConsolePlatform:
    """Implements bot.messages.Platform."""

    name = "console"
    bounds = Bounds(title=300, text=12_000, rows=50, lines=200, buttons=25, label=80, whole=60_000)
    settle = 0.0

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def post(self, thread: Thread, key: str, card: Card) -> str:
        return await self._write(partial(self._put, thread, key, card, ""))

    async def edit(self, thread: Thread, message: str, card: Card) -> None:
        body, at = dump_card(card), self._clock.now()
        if not await self._write(lambda books: books.messages.edit(thread, message, body, at)):
            raise Gone(f"there is no message {message}")

    async def find(self, thread: Thread, key: str) -> str | None:
        return await self._database.read(lambda books: books.messages.find(thread, key))

    async def begin(self, channel: str, key: str, words: str) -> Thread:
        """Nothing has to be written: the delivery that it is for is the first message there."""
        return Thread(f"{channel}:{derived('begun', key)}")

    async def permalink(self, thread: Thread, message: str) -> str:
        return f"/thread/{quote(thread, safe=':@')}#m-{message}"

    async def whisper(self, thread: Thread, to: Account, key: str, card: Card) -> None:
        await self._write(partial(self._put, thread, key, card, to))

    async def mark_seen(self, thread: Thread, message: str) -> None:
        if not await self._write(lambda books: books.messages.mark_seen(thread, message)):
            raise Gone(f"there is no message {message}")

    def _put(self, thread: Thread, key: str, card: Card, only_for: str, books: Books) -> str:
        return books.messages.post(thread, key, dump_card(card), self._clock.now(), only_for)

    async def _write(self, transaction: Transaction[Result]) -> Result:
        try:
            return await self._database.write(transaction)
        except StoreUnavailable as problem:
            raise Unsure(problem.what) from problem
