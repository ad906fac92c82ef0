"""What the gateway asks of the store besides taking deliveries in."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from agents.domain.ids import Thread
from bot.messages import Button, load_card
from store.books import Books


class GatewayStore(Protocol):
    async def button(self, thread: Thread, message: str, token: str) -> Button | None:
        """The button of this token on our message, as it was last meant to be shown."""
        ...

    async def knows(self, thread: Thread) -> bool:
        """Whether the bot was ever spoken to in this thread."""
        ...

    async def places(self, since: datetime) -> Sequence[Thread]:
        """Discord's threads and direct channels in which something was said since then, or where a task is open."""
        ...

    async def requests(self) -> Sequence[Thread]:
        """Discord's threads where a task is open: what they began with may have been edited meanwhile."""
        ...

    async def mark(self) -> int:
        """The message id up to which everything was taken in; 0 before the first start ever."""
        ...

    async def set_mark(self, message: int) -> None: ...


def find_button(books: Books, thread: Thread, message: str, token: str) -> Button | None:
    post = books.posts.on_message(thread, message)
    if post is None:
        return None
    card = load_card(post.body)
    return next((b for b in (*card.buttons, *card.more) if b.choice.token == token), None)
