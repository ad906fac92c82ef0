"""What adapters of chat providers share: the waits a provider asks for, the gateway's memory, files of a card."""

import asyncio
import logging
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import TypeVar

from agents.domain.ids import Thread
from agents.domain.text.sanitize import clean, cut
from bot.delivery.pictures import png
from bot.field_forms import longest
from bot.messages import Button, Card, Delivery, Graph, Later, load_card
from store.database import Database, StoreUnavailable

log = logging.getLogger("overlord.waits")

Key = TypeVar("Key")
Value = TypeVar("Value")
Accept = Callable[[Delivery], Awaitable[bool]]  # stores a delivery; once it returns, the provider may be told
PICTURE, WHOLE = "plan.png", "whole.txt"
FILE_MOST = 1_000_000  # characters


class Waits:
    """Scopes that a provider wants left alone for a while. In real time: a provider knows no other.

    Without a database they last as long as the process.
    """

    def __init__(self, platform: str = "", database: Database | None = None) -> None:
        self._platform, self._database = platform, database
        self._until: dict[str, float] = {}

    @classmethod
    async def recall(cls, platform: str, database: Database) -> "Waits":
        """With what an earlier process was asked for."""
        waits = cls(platform, database)
        left = await database.read(lambda tx: tx.waits.remaining(platform, datetime.now(UTC)))
        waits._until = {scope: time.monotonic() + seconds for scope, seconds in left.items()}
        return waits

    def seconds_left(self, scope: str) -> float:
        """Seconds until this may be asked again; 0: now."""
        return max(0.0, self._until.get(self._named(scope), 0.0) - time.monotonic())

    def check(self, scope: str) -> None:
        """Raises Later instead of asking in vain."""
        if left := self.seconds_left(scope):
            raise Later(left)

    async def keep(self, scope: str, seconds: float) -> None:
        """Stores a wait before anybody is told of it: the process may end at any time after that."""
        name, now = self._named(scope), time.monotonic()
        self._until = {known: until for known, until in self._until.items() if until > now}
        self._until[name] = now + seconds
        if self._database is None:
            return
        wait = timedelta(seconds=seconds)
        try:
            await self._database.write(lambda tx: tx.waits.keep(name, wait, datetime.now(UTC)))
        except StoreUnavailable:  # it still holds for this process
            log.warning("a wait could not be kept", extra={"scope": name, "seconds": seconds})

    def _named(self, scope: str) -> str:
        return f"{self._platform}:{scope}"


class GatewayStore:
    """What a gateway asks of the database, besides storing deliveries."""

    def __init__(self, platform: str, database: Database) -> None:
        self._platform, self._database = platform, database

    async def knows(self, thread: Thread) -> bool:
        """Whether the bot was ever spoken to in this thread."""
        return await self._database.read(lambda tx: tx.threads.find(thread) is not None)

    async def places(self, since: datetime) -> Sequence[Thread]:
        """Threads and direct channels in which somebody spoke since then or a task is open, and the last one of all."""
        return await self._database.read(lambda tx: tx.threads.spoken_in(self._platform, since))

    async def button(self, thread: Thread, message: str, token: str) -> Button | None:
        """The button of this token on our message, as it was last meant to be shown."""
        post = await self._database.read(lambda tx: tx.posts.on_message(thread, message))
        card = load_card(post.body) if post else None
        return next((b for b in (*card.buttons, *card.more) if b.choice.token == token), None) if card else None

    async def cursor(self) -> int:
        """The message up to which everything was received, as a number; 0 before the first start ever."""
        return await self._database.read(lambda tx: tx.log.read_up_to(f"{self._platform} messages"))

    async def save_cursor(self, message: int) -> None:
        await self._database.write(lambda tx: tx.log.mark_read(f"{self._platform} messages", message))


class Recent(OrderedDict[Key, Value]):
    """Keeps what was set last, at most so many entries."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self._most = most

    def __setitem__(self, key: Key, value: Value) -> None:
        super().__setitem__(key, value)
        while len(self) > self._most:
            self.popitem(last=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Attachment:
    """A file that goes with a message; `says` is what it is, for those who do not open it."""

    name: str
    content: bytes
    says: str
    media: str = "text/plain; charset=utf-8"


def text_files(card: Card, *, whole: bool) -> list[Attachment]:
    """The long texts that go with a card. `whole`: all that it says, too, since the message leaves something out."""
    texts = [(WHOLE, "Everything the card says", card.fallback)] if whole else []
    texts += [(each.name, each.name, each.text) for each in card.files]
    return [
        Attachment(name=name, says=says, content=cut(clean(text), FILE_MOST).encode()) for name, says, text in texts
    ]


def without_long_forms(card: Card, most: int, fits: Callable[[Button], bool] = lambda button: False) -> Card:
    """Without choices whose forms hold more than fits into a field here; the console takes them. `fits`: whether a form
    has room as something else than one field."""
    long = [button for button in (*card.buttons, *card.more) if longest(button) > most and not fits(button)]
    if not long:
        return card
    labels = ", ".join(button.label for button in long)
    return replace(
        card,
        buttons=tuple(button for button in card.buttons if button not in long),
        more=tuple(button for button in card.more if button not in long),
        lines=(*card.lines, f"{labels}: in the console, for it is too long for a form here."),
    )


async def draw(graph: Graph) -> Attachment:
    return Attachment(name=PICTURE, content=await asyncio.to_thread(png, graph), says=graph.text, media="image/png")
