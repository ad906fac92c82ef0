"""What one person alone is told, besides the answer to what they asked."""

from datetime import datetime

from agents.domain.ids import surface_of
from agents.domain.text.redact import Redact
from bot.cards import replies
from bot.delivery.announcer import wish
from bot.messages import Delivery, Edited, Pressed, Said
from store.books import Books
from store.chat.posts import Act


def warn_of_key(delivery: Delivery, redact: Redact, at: datetime, books: Books) -> None:
    """Tell whoever wrote something that looks like a key so, once a message. Those who write elsewhere see it there."""
    if not isinstance(delivery, Said | Edited | Pressed) or surface_of(delivery.by) != surface_of(delivery.thread):
        return
    words = delivery.words if isinstance(delivery, Pressed) else delivery.text
    if redact(words) == words:
        return
    where = delivery.key if isinstance(delivery, Pressed) else f"{delivery.thread}:{delivery.message}"
    key = f"key:{where}"
    if not books.posts.wanted(key):
        card = replies.key_card(surface_of(delivery.by))
        books.posts.want(wish(key, delivery.thread, card, Act.WHISPER, delivery.by), at)
