"""What people say to each other is acknowledged and not kept: no row anywhere holds it."""

from sqlalchemy import select

from store import tables
from store.chat.people_tables import accounts
from store.transaction import Transaction
from tests.scenarios.conftest import Play

STAGES = ("discord", "slack", "slack-http")  # in the console people speak to the bot's own pages


def _kept(tx: Transaction) -> str:
    words = [*tx.db.execute(select(tables.messages.c.text)).scalars()]
    bodies = [*tx.db.execute(select(tables.deliveries.c.body)).scalars()]
    people = [*tx.db.execute(select(accounts.c.account)).scalars()]
    return "\n".join([*words, *bodies, *people])


async def test_talk_that_is_not_ours_is_not_kept_and_what_is_ours_is(play: Play) -> None:
    await play.stage.say("mallory", "between us: the merger is on Friday")
    await play.stage.say("mallory", "and nobody knows")
    thread = await play.stage.say("ana", "speed up web", mention=True)
    await play.sees("ana", thread, "Waiting for a plan")
    await play.stage.say("mallory", "is that needed?", thread=thread)
    await play.stage.say("ana", "help", thread=thread)
    await play.whispered("ana", thread, "What I understand")
    kept = await play.program.services.database.read(_kept)
    assert "speed up web" in kept
    assert "is that needed?" in kept, "a thread of ours is ours"
    assert "merger" not in kept
    assert "nobody knows" not in kept
