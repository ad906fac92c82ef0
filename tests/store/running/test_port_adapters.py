"""Transcripts of minions: in order, once, and never by two."""

import pytest

from agents.domain.errors import StaleLease
from bot.services import SystemClock
from store.database import Database
from store.running.port_adapters import TurnLog


async def test_turns_come_back_as_they_went_in_and_in_order(url: str) -> None:
    database = Database(url)
    turns = TurnLog(database, SystemClock())
    rows = [{"kind": "turn", "text": f"é\ud800\x00 {number}", "n": number} for number in range(12)]
    for number, row in enumerate(rows):
        await turns.add("T-1.1-1", number, row)
    await turns.add("T-1.1-2", 0, {"kind": "other"})
    assert await turns.of("T-1.1-1") == rows
    assert await turns.of("T-9.9-9") == []
    database.close()


async def test_the_same_turn_twice_is_one_and_another_in_its_place_is_refused(url: str) -> None:
    database = Database(url)
    turns = TurnLog(database, SystemClock())
    for _ in range(2):
        await turns.add("T-1.1-1", 0, {"kind": "turn"})
    with pytest.raises(StaleLease):
        await turns.add("T-1.1-1", 0, {"kind": "another"})
    assert await turns.of("T-1.1-1") == [{"kind": "turn"}]
    database.close()
