"""A delivery is kept once, whoever brings it and however often, and settled once (P1, P2)."""

import asyncio
import random
from dataclasses import replace
from datetime import timedelta
from functools import partial

from sqlalchemy import text

from agents.domain.ids import Thread
from bot.messages import Said
from bot.running.jobs import settle_waiting
from store.chat.deliveries import DeliveryState, Received
from store.database import Database
from store.transaction import Transaction
from tests.store.room import ANA, CHANNEL, FULL, MORNING, Room, office_of

WINDOW = timedelta(seconds=60)


def received(key: str, also: str = "", account: str = ANA, seconds: float = 0) -> Received:
    return Received(
        key=key, also=also, kind="Said", body="{}", account=account, channel=CHANNEL, thread="console:general:1",
        at=MORNING + timedelta(seconds=seconds),
    )  # fmt: skip


async def keep(database: Database, *deliveries: Received) -> list[bool]:
    return [await database.write(partial(_keep, one)) for one in deliveries]


def _keep(one: Received, tx: Transaction) -> bool:
    return tx.deliveries.keep(one)


async def test_the_same_key_is_kept_once(database: Database) -> None:
    assert await keep(database, received("a"), received("a"), received("b")) == [True, False, True]


async def test_one_message_that_comes_as_two_events_is_kept_once_in_either_order(database: Database) -> None:
    mention, message = received("event:1", also="message:9"), received("event:2", also="message:9")
    assert await keep(database, mention, message) == [True, False]
    caught_up = received("message:9")  # a catch-up read knows only the message
    assert await keep(database, caught_up) == [False]
    first, then = received("message:10"), received("event:3", also="message:10")
    assert await keep(database, first, then) == [True, False]


async def test_waiting_deliveries_come_back_whole_and_in_their_order(database: Database) -> None:
    sent = [received("c", "x"), received("a"), received("b")]
    await keep(database, *sent)
    assert await database.read(lambda tx: tx.deliveries.to_settle()) == sent
    assert await database.read(lambda tx: tx.deliveries.to_settle(2)) == sent[:2]


async def test_a_delivery_is_settled_once(database: Database) -> None:
    await keep(database, received("a"))

    async def settle(state: DeliveryState) -> bool:
        return await database.write(lambda tx: tx.deliveries.settle("a", state, "why", MORNING))

    assert [await settle(DeliveryState.HANDLED), await settle(DeliveryState.REFUSED)] == [True, False]
    assert await database.read(lambda tx: tx.deliveries.state("a")) == (DeliveryState.HANDLED, "why")
    assert await database.read(lambda tx: tx.deliveries.to_settle()) == []
    assert await database.read(lambda tx: tx.deliveries.state("unknown")) is None


async def test_failed_tries_are_counted(database: Database) -> None:
    await keep(database, received("a"))
    assert [await database.write(lambda tx: tx.deliveries.count_failure("a")) for _ in range(3)] == [1, 2, 3]


async def test_a_thousand_events_delivered_up_to_four_times_at_two_instances_count_once(
    url: str, database: Database
) -> None:
    """P2: 1 task and 1 set of posts for each event, however often and wherever it arrives."""
    count = 1000 if FULL or url.startswith("sqlite") else 300
    second = Database(url)
    rooms = [Room(office_of(one)) for one in (database, second)]
    chance = random.Random(2)

    def mention(number: int) -> Said:
        return Said(
            key=f"slack:T1:Ev{number}", also=f"slack:T1:C1:{number}.0", thread=Thread(f"slack:C1:{number}.0"),
            channel="slack:C1", message=f"{number}.0", by=ANA, text=f"do thing {number}", mentions_bot=True, at=MORNING,
        )  # fmt: skip

    events = [mention(number) for number in range(count)]
    arriving = [
        replace(event, key=f"{event.key}x") if chance.random() < 0.3 else event  # the message's own event
        for event in events
        for _ in range(chance.randint(1, 4))
    ]
    chance.shuffle(arriving)
    try:
        kept = await asyncio.gather(*(chance.choice(rooms).inbox.accept(delivery) for delivery in arriving))
        assert sum(kept) == count < len(arriving)
        while sum(await asyncio.gather(*(settle_waiting(room.inbox) for room in rooms))):
            pass
        await rooms[0].announce()
        question = """SELECT (SELECT count(*) FROM snapshots) AS tasks, (SELECT count(DISTINCT thread) FROM threads
                      WHERE task IS NOT NULL) AS threads, (SELECT count(*) FROM posts WHERE act = 'post') AS posts,
                      (SELECT count(*) FROM posts WHERE act = 'seen') AS seen"""
        counted = await database.read(lambda tx: tx.db.execute(text(question)).one())
        assert tuple(counted) == (count, count, count, count)
        assert await rooms[0].whole()
    finally:
        second.close()


async def test_whoever_was_alone_with_the_bot_of_late_is_found_there(database: Database) -> None:
    """The last place of all only where somebody never spoke to the bot alone."""
    alone = replace(received("a"), body='{"direct": true}', thread="console:@ana:1")
    later = replace(received("b", seconds=5), body='{"direct": false}')
    await keep(database, alone, later, received("c", account="console:bo"))
    where = await database.read(lambda tx: tx.deliveries.last_place(ANA))
    assert where and (where.thread, where.direct) == ("console:@ana:1", True)
    other = replace(received("d", account="console:cy", seconds=9), body='{"direct": false}')
    await keep(database, replace(other, key="e", at=MORNING, thread="console:general:2"), other)
    where = await database.read(lambda tx: tx.deliveries.last_place("console:cy"))
    assert where and (where.thread, where.direct) == ("console:general:1", False)
    assert await database.read(lambda tx: tx.deliveries.last_place("console:nobody")) is None
