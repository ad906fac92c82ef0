"""Words answer what people could see when they spoke, in the platform's own order, whatever its clock says."""

from dataclasses import replace
from datetime import timedelta
from functools import partial

import pytest

from agents.domain.decisions.decision import Decision, DecisionState, Option, with_letters
from agents.domain.ids import Account, Thread
from agents.domain.task.task import Task
from bot.delivery import announcer
from bot.messages import Said
from store.chat.deliveries import DeliveryState
from store.database import Database
from store.running.leases import Lease
from store.transaction import Transaction
from tests.store.room import UNLIMITED, Room, office_of, open_task

COLOURS = with_letters(Option(value="red", label="red"), Option(value="blue", label="blue"))
# who speaks, in which channel, and ids of messages before, of and after the card
PLACES = {
    "slack": ("slack:T1:UANA", "slack:T1:C1", "1700000000.000099", "1700000000.000100", "1700000000.000101"),
    "slack-counts-up": ("slack:T1:UANA", "slack:T1:C1", "999999999.999999", "1000000000.000000", "1000000000.000001"),
    "discord": ("discord:7", "discord:1:2", "999999999999999999", "1000000000000000000", "1000000000000000001"),
}
DRIFTS = [timedelta(minutes=-20), timedelta(0), timedelta(minutes=20)]


@pytest.fixture
def room(database: Database) -> Room:
    return Room(office_of(database))


async def opened(room: Room, by: str, channel: str) -> tuple[Task, Decision]:
    make = partial(open_task, room.key("open"), Account(by), channel, room.clock.now())
    task = await room.database.write(make)
    return task, await room.ask(task, "question", COLOURS, default="red")


def words(room: Room, task: Task, by: str, message: str, drift: timedelta = timedelta(0), on: str = "") -> Said:
    return Said(
        key=room.key("said"), thread=Thread(task.request.thread), channel=task.request.channel, message=message,
        by=Account(by), text="blue", on=on, at=room.clock.now() + drift,
    )  # fmt: skip


async def show(room: Room, message: str = "", *, problem: bool = False) -> None:
    """Announce, and have a platform take the cards under this id; without one, nobody knows whether it did."""

    def take(tx: Transaction) -> None:
        now = room.clock.now()
        announcer.announce(tx, room.office.permissions, now)
        lease = Lease(owner="a platform", at=now, until=now + timedelta(seconds=45))
        while posts := tx.posts.claim(lease, UNLIMITED, 100):
            for post in posts:
                if message or not post.key.startswith("decision:"):
                    tx.posts.mark_sent(post, message or f"m{post.id}", now, UNLIMITED)
                elif problem:
                    tx.posts.unsure(post, now, timedelta(seconds=5), "time-out")

    await room.database.write(take)


async def answered(room: Room, decision: Decision) -> bool:
    return (await room.decision(decision.id)).state is DecisionState.DECIDED


@pytest.mark.parametrize("drift", DRIFTS)
@pytest.mark.parametrize("place", PLACES)
async def test_words_below_the_card_answer_it_and_words_above_do_not(room: Room, place: str, drift: timedelta) -> None:
    by, channel, before, card, after = PLACES[place]
    task, decision = await opened(room, by, channel)
    await show(room, card)
    await room.hear(words(room, task, by, before, drift))
    assert not await answered(room, decision)
    assert (await room.decision(decision.id)).held_by is None
    await room.hear(words(room, task, by, after, drift))
    assert await answered(room, decision)


@pytest.mark.parametrize("drift", DRIFTS)
async def test_words_that_come_in_after_the_clock_ran_out_count_where_it_has_not_decided(
    room: Room, drift: timedelta
) -> None:
    by, channel, _, card, after = PLACES["slack"]
    task, decision = await opened(room, by, channel)
    await show(room, card)
    room.clock.pass_(7200)
    said = words(room, task, by, after, drift)
    await room.inbox.accept(said)
    assert await room.fire() == 1, "words lie there unread: the clock gives them time"
    assert not await answered(room, decision)
    await room.inbox.settle(await room.stored(said.key))
    made = await room.decision(decision.id)
    assert made.state is DecisionState.DECIDED and made.decided_by


async def test_what_was_not_announced_or_not_sent_yet_is_not_answered(room: Room) -> None:
    by, channel, before, _, _ = PLACES["discord"]
    task, decision = await opened(room, by, channel)
    await room.hear(words(room, task, by, before))
    await room.database.write(lambda tx: announcer.announce(tx, room.office.permissions, room.clock.now()))
    await room.hear(words(room, task, by, before))
    assert not await answered(room, decision)


async def test_a_card_that_may_have_been_seen_is_asked_about(room: Room) -> None:
    """The platform did not say whether it took the card; people may look at it already."""
    by, channel, _, _, after = PLACES["slack"]
    task, decision = await opened(room, by, channel)
    await show(room, problem=True)
    said = words(room, task, by, after)
    assert (await room.hear(said)).state is DeliveryState.RECEIVED, "it may be known in a moment"
    room.clock.pass_(61)
    await room.inbox.settle(await room.stored(said.key))
    asked = await room.decision(decision.id)
    assert asked.state is DecisionState.OPEN and asked.held_because == "blue"
    now = await room.database.read(lambda tx: tx.log.task(task.id))
    assert [str(d.kind) for d in now.open if d.kind != "controls"] == ["question", "meant"]


async def test_words_wait_for_the_id_of_a_card_that_is_being_sent_but_a_stop_does_not(room: Room) -> None:
    by, channel, before, card, _ = PLACES["slack"]
    task, decision = await opened(room, by, channel)
    await show(room, problem=True)
    said = words(room, task, by, before)
    assert (await room.hear(said)).state is DeliveryState.RECEIVED
    room.clock.pass_(61)
    await show(room, card)
    await room.inbox.settle(await room.stored(said.key))
    assert not await answered(room, decision)
    await room.ask(task, "question", COLOURS, default="red")
    await show(room, problem=True)
    stop = replace(words(room, task, by, "1700000000.000200"), text="stop")
    assert (await room.hear(stop)).state is DeliveryState.HANDLED


async def test_a_reply_to_the_card_itself_and_words_from_elsewhere_have_seen_it(room: Room) -> None:
    by, channel, before, card, _ = PLACES["discord"]
    task, decision = await opened(room, by, channel)
    await show(room, card)
    await room.hear(words(room, task, by, before, on=card))
    assert await answered(room, decision)
    other = await room.ask(task, "question", COLOURS, default="red")
    await show(room, problem=True)
    elsewhere = words(room, task, "console:operator", "")
    await room.inbox.accept(elsewhere)
    room.clock.pass_(61)
    await room.inbox.settle(await room.stored(elsewhere.key))
    assert await answered(room, other), "whoever looks at the ledger sees what is open"


async def test_in_the_console_the_order_is_that_of_our_own_copies(room: Room) -> None:
    by, channel = "console:ana", "console:general"
    task, decision = await opened(room, by, channel)
    early = words(room, task, by, "zz")
    await room.inbox.accept(early)
    await show(room, "aa")
    copy = partial(_copy, task.request.thread, "aa", room)
    await room.database.write(copy)
    await room.inbox.settle(await room.stored(early.key))
    assert not await answered(room, decision)
    await room.hear(words(room, task, by, "a0"))
    assert await answered(room, decision)


def _copy(thread: Thread, message: str, room: Room, tx: Transaction) -> None:
    tx.messages.keep(thread, message, Account(""), "card", room.clock.now())
