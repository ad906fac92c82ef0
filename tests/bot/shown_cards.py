"""Helpers that the tests of attacks decisions share with others."""

from sqlalchemy import text

from agents.domain.decisions.decision import Decision
from bot.messages import Card, load_card
from tests.store.room import (
    Room,
)  # fmt: skip


async def shown_on(room: Room, decision: Decision) -> str:
    return (await room.announce())[f"decision:{decision.id}"]


async def card_of(room: Room, decision: Decision) -> Card:
    question = text("SELECT body FROM posts WHERE key = :key").bindparams(key=f"decision:{decision.id}")
    return load_card(await room.database.read(lambda tx: tx.db.execute(question).scalar_one()))
