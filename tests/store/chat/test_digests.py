"""Whom to write to and when: what is kept of each reader, and whose digest is due."""

from dataclasses import replace
from datetime import timedelta

from agents.domain.hours import Hours
from agents.domain.ids import Account, DecisionId, PersonId, Thread
from store.chat.digests import Digests, Reader
from store.database import Database
from store.transaction import Transaction
from tests.store.room import MORNING

ANA, BO = PersonId("ana"), PersonId("bo")
NINE = 9 * 60
FULL = Reader(
    person=ANA,
    account=Account("slack:T1:UANA"),
    thread=Thread("slack:D1:1"),
    memberships=("S1", "S2"),
    hours=Hours(digest=NINE, quiet=(18 * 60, 8 * 60), zone="Europe/Vienna"),
)
TOMORROW = MORNING.replace(hour=8, minute=0) + timedelta(days=1)  # nine o'clock in Vienna


async def test_a_reader_is_read_as_saved_and_written_to_at_the_hour_that_was_said(database: Database) -> None:
    def save(tx: Transaction) -> Reader:
        before = tx.digests.save(FULL, MORNING)
        tx.digests.save(Reader(person=BO), MORNING)
        return before

    saved = await database.write(save)
    assert saved == replace(FULL, due=TOMORROW)
    assert await database.read(lambda tx: tx.digests.of([PersonId("nobody"), ANA])) == saved
    plain = await database.read(lambda tx: tx.digests.of([BO]))
    assert plain == Reader(person=BO) and plain.hours.quiet is None
    assert await database.read(lambda tx: tx.digests.of([PersonId("nobody")])) is None


async def test_who_is_due_is_asked_for_by_the_clock(database: Database) -> None:
    def look(tx: Transaction) -> tuple[list[str], list[str]]:
        soon, then = tx.digests.due(TOMORROW - timedelta(seconds=1)), tx.digests.due(TOMORROW)
        return [each.person for each in soon], [each.person for each in then]

    assert await database.read(lambda tx: tx.digests.next_due()) is None
    await database.write(lambda tx: (tx.digests.save(FULL, MORNING), tx.digests.save(Reader(person=BO), MORNING)))
    assert await database.read(look) == ([], [ANA])
    assert await database.read(lambda tx: tx.digests.next_due()) == TOMORROW
    later = TOMORROW + timedelta(hours=1)
    await database.write(lambda tx: tx.digests.put_off(replace(FULL, due=TOMORROW), later))
    assert await database.read(lambda tx: tx.digests.next_due()) == later


async def test_what_a_digest_showed_is_kept_until_it_is_settled(database: Database) -> None:
    def send(tx: Transaction) -> None:
        tx.digests.save(FULL, MORNING)
        tx.digests.note_sent(FULL, TOMORROW, [DecisionId("d1"), DecisionId("d2")], "2026-03-03")

    def showing(digests: Digests) -> list[tuple[tuple[str, ...], str]]:
        return [(each.shown, each.shown_in) for each in digests.showing()]

    await database.write(send)
    assert await database.read(lambda tx: showing(tx.digests)) == [(("2026-03-03:d1", "2026-03-03:d2"), "slack:D1:1")]
    sent = await database.read(lambda tx: tx.digests.of([ANA]))
    assert sent and sent.due == TOMORROW + timedelta(days=1), "once a day"
    await database.write(lambda tx: tx.digests.settle(sent, sent.shown[1:]))
    assert await database.read(lambda tx: showing(tx.digests)) == [(("2026-03-03:d2",), "slack:D1:1")]
    await database.write(lambda tx: tx.digests.settle(sent, ()))
    assert await database.read(lambda tx: showing(tx.digests)) == []
