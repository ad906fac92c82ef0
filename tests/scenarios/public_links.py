"""Helpers that the tests of links share with others."""

from sqlalchemy import select

from bot.messages import Card, load_card
from store import tables
from store.transaction import Transaction
from tests.scenarios.conftest import Play

PUBLIC = "public_url: https://overlord.example/\n"


async def cards(play: Play, words: str) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
    """The files and addresses of cards with these words in their titles."""
    task = await play.task()

    def look(tx: Transaction) -> list[Card]:
        kept = select(tables.posts.c.body).where(tables.posts.c.thread == task.request.thread)
        return [card for card in map(load_card, tx.db.execute(kept).scalars()) if words in card.title]

    found = await play.program.services.database.read(look)
    return [(tuple(f.name for f in card.files), tuple(link.url for link in card.links)) for card in found]


async def linked(play: Play, words: str) -> tuple[str, ...]:
    return (await cards(play, words))[-1][1]
