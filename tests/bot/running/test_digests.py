"""Digests and quiet hours, by the clock: once a day, the riskiest first, and no reminder while somebody sleeps."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from sqlalchemy import select

from agents.domain.decisions.authority import Kind
from agents.domain.hours import Hours
from agents.domain.ids import Thread
from bot.cards.personal.digest import in_order
from bot.intake.access import read_waiting, waiting_for
from bot.running.personal.digests import DigestRounds
from bot.running.timers import Timers
from store.chat.digests import Reader
from store.database import Database
from store.tables import posts
from store.transaction import Transaction
from tests.store.room import ANA, LEAD, Room, office_of

HOUR = 3600.0
LINE = Thread("slack:T1:D1:1.0")


@pytest.fixture
async def room(tmp_path: Path) -> AsyncIterator[Room]:
    database = Database(f"sqlite:///{tmp_path / 'overlord.db'}")
    yield Room(office_of(database))
    database.close()


async def reads(room: Room, account: str, hours: Hours) -> None:
    def save(tx: Transaction) -> None:
        person = tx.people.of(account, account)  # type: ignore[arg-type]
        tx.digests.save(Reader(person=person.id, account=account, thread=LINE, hours=hours), room.clock.now())  # type: ignore[arg-type]

    await room.database.write(save)


async def posted(room: Room) -> list[str]:
    wanted = select(posts.c.key).where(posts.c.thread == LINE).order_by(posts.c.id)
    return [row.key for row in await room.database.read(lambda tx: tx.db.execute(wanted).all())]


async def test_it_is_sent_once_a_day_however_often_it_is_looked_for(room: Room) -> None:
    rounds = DigestRounds(room.office)
    await reads(room, LEAD, Hours(digest=10 * 60))  # it is half past nine
    decision = await room.ask(await room.task(), Kind.PLAN)
    await rounds.go_round()
    assert await posted(room) == []
    room.clock.pass_(HOUR)
    for _ in range(3):
        await DigestRounds(room.office).go_round()
    assert await posted(room) == ["digest:2026-03-02", f"digest:2026-03-02:{decision.id}"]
    room.clock.pass_(24 * HOUR)
    await rounds.go_round()
    assert len(await posted(room)) == 4
    assert await rounds.next_due(room.clock.now()) == pytest.approx(23.5 * HOUR, abs=HOUR)


async def test_the_riskiest_come_first_then_the_oldest(room: Room) -> None:
    task = await room.task()
    for rule in (Kind.PLAN, "merge_low", "merge_high"):
        await room.ask(task, rule)
        room.clock.pass_(60)

    def asked(tx: Transaction) -> list[Kind]:
        speaker = room.office.presser(LEAD, tx)
        pairs = read_waiting(tx, waiting_for(tx, speaker, room.office.permissions))
        return [decision.kind for _, decision in in_order(pairs)]

    assert await room.database.write(asked) == [Kind.MERGE, Kind.MERGE, Kind.PLAN]


async def test_nobody_is_reminded_in_their_quiet_hours_and_one_missed_digest_waits_for_their_end(room: Room) -> None:
    quiet = Hours(digest=12 * 60, quiet=(13 * 60, 8 * 60))
    await reads(room, ANA, quiet)
    decision = await room.ask(await room.task(), Kind.ESCALATION)
    assert decision.due and decision.put_to
    room.clock.pass_(4.5 * HOUR)  # two o'clock: its reminder is due, and the digest was missed
    await DigestRounds(room.office).go_round()
    await Timers(room.office).fire_due()
    held = await room.database.read(lambda tx: tx.ledger.find(decision.id))
    assert held and held.reminders == 0 and held.due and (held.due.hour, held.due.day) == (8, 3)
    assert await posted(room) == []
    room.clock.pass_(18.1 * HOUR)
    await DigestRounds(room.office).go_round()
    await Timers(room.office).fire_due()
    reminded = await room.database.read(lambda tx: tx.ledger.find(decision.id))
    assert reminded and reminded.reminders == 1 and "digest:2026-03-03" in await posted(room)
