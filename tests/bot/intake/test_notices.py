"""What one person alone is told, whatever they wrote it into."""

from dataclasses import replace

import pytest
from sqlalchemy import text

from agents.domain.decisions.authority import Kind
from agents.domain.ids import Account, Thread
from bot.messages import Delivery, Edited, Said
from store.database import Database
from tests.domain.secret_corpus import BARE
from tests.store.room import ANA, MORNING, YES, Room, office_of

KEY = BARE["github classic"]
CHANNEL = "slack:T1:C1"
THREAD = Thread(f"{CHANNEL}:1.0")
SAID = Said(key="a", thread=THREAD, channel=CHANNEL, message="1.0", by=ANA, text=f"use {KEY}", at=MORNING)
EDITED = Edited(key="b", thread=THREAD, channel=CHANNEL, message="1.0", by=ANA, text=f"use {KEY}", at=MORNING)


@pytest.fixture
def room(database: Database) -> Room:
    return Room(office_of(database))


async def whispers(room: Room) -> list[tuple[str, str]]:
    rows = await room.database.read(
        lambda tx: tx.db.execute(text("SELECT target, body FROM posts WHERE act = 'whisper'")).all()
    )
    assert not any(KEY in row.body for row in rows)
    return [(row.target, row.body) for row in rows if "looks like a key" in row.body]


@pytest.mark.parametrize(
    ("deliveries", "times"),
    [
        ((replace(SAID, mentions_bot=True),), 1),
        ((SAID,), 1),  # also what is not said to the bot, where it is kept
        ((replace(SAID, direct=True),), 1),
        ((SAID, EDITED, replace(EDITED, key="c")), 1),
        ((replace(SAID, text="use it"), EDITED), 1),
        ((SAID, replace(SAID, key="d", message="2.0")), 2),
        ((replace(SAID, text="use the usual key"),), 0),
        ((replace(SAID, by=Account("cli:ana")),), 0),  # the command line says it itself
    ],
)
async def test_one_sentence_a_message(room: Room, deliveries: tuple[Delivery, ...], times: int) -> None:
    for delivery in deliveries:
        await room.hear(delivery)
    found = await whispers(room)
    assert [target for target, _ in found] == [ANA] * times
    assert all("Slack's own history" in body for _, body in found)


async def test_a_form_that_is_refused_is_warned_of_too(room: Room) -> None:
    decision = await room.ask(await room.task(), Kind.PROPOSAL)
    await room.press(ANA, decision, YES, words=f"it is {KEY}", thread=THREAD)
    await room.press(ANA, decision, YES, words=f"it is {KEY}!", thread=THREAD)
    assert len(await whispers(room)) == 2
