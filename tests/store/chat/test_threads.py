"""Where people talk: the threads of a platform with something open in them, and the copies of what was said there."""

from datetime import timedelta
from functools import partial

import pytest

from agents.domain import events as e
from agents.domain.ids import Account, PersonId, Thread
from store.codec import Cause
from store.database import Database
from store.transaction import Transaction
from tests.store.room import ANA, EVE, MORNING, Room, open_task

LATER = MORNING + timedelta(minutes=5)
THREAD = Thread("console:general:9")


async def test_only_threads_of_a_platform_whose_task_goes_on_are_named(room: Room) -> None:
    here = await room.database.write(partial(open_task, "a", ANA, "console:general", MORNING))
    there = await room.database.write(partial(open_task, "b", Account("slack:T1:U1"), "slack:C1", MORNING))

    def open_in(surface: str, tx: Transaction) -> list[Thread]:
        return tx.threads.with_open_tasks(surface)

    def cancel(tx: Transaction) -> None:
        over = e.TaskCancelled(task=there.id, at=LATER, by=PersonId("ana"), reason="no")
        tx.log.append(there.id, [over], Cause(actor=ANA, delivery="c"))

    assert await room.database.read(partial(open_in, "console")) == [here.request.thread]
    assert await room.database.read(partial(open_in, "slack")) == [there.request.thread]
    await room.database.write(cancel)
    assert await room.database.read(partial(open_in, "slack")) == []


async def test_an_edit_changes_the_copy_of_its_own_message_alone(room: Room) -> None:
    def say(tx: Transaction) -> None:
        tx.messages.keep(THREAD, "1", ANA, "add login", MORNING)
        tx.messages.keep(THREAD, "2", ANA, "and logout", MORNING)
        tx.messages.change(THREAD, "1", "add a login", LATER)
        tx.messages.change(THREAD, "3", "never seen", LATER)

    await room.database.write(say)
    kept, _ = await room.database.read(lambda tx: tx.messages.in_thread(THREAD, ANA, 9))
    assert [(each.message, each.text, each.edited) for each in kept] == [
        ("1", "add a login", True),
        ("2", "and logout", False),
    ]


@pytest.mark.parametrize(
    ("said", "shown", "left_out"),
    [(1, ["0"], 0), (4, ["0", "1", "2", "3"], 0), (5, ["0", "2", "3", "4"], 1), (9, ["0", "6", "7", "8"], 5)],
)
async def test_of_a_long_thread_the_first_message_and_the_last_are_read(
    database: Database, said: int, shown: list[str], left_out: int
) -> None:
    def talk(tx: Transaction) -> None:
        tx.messages.keep(Thread("console:general:2"), "other", ANA, "elsewhere", MORNING)
        for number in range(said):
            tx.messages.keep(THREAD, f"m{number}", ANA, str(number), MORNING)
            tx.messages.post(THREAD, f"whisper {number}", "{}", MORNING, only_for=EVE)

    await database.write(talk)
    kept, missing = await database.read(lambda tx: tx.messages.in_thread(THREAD, ANA, 3))
    assert ([message.text for message in kept], missing) == (shown, left_out)


async def test_a_thread_that_is_not_there_is_empty(database: Database) -> None:
    assert await database.read(lambda tx: tx.messages.in_thread(THREAD, ANA, 3)) == ([], 0)


async def test_threads_that_somebody_spoke_in_lately_are_named_with_the_last_of_all(room: Room) -> None:
    old = await room.database.write(partial(open_task, "a", ANA, "console:general", MORNING))
    new = await room.database.write(partial(open_task, "b", ANA, "console:general", LATER))
    await room.database.write(partial(open_task, "c", Account("slack:T1:U1"), "slack:C1", LATER))

    def cancel(tx: Transaction) -> None:
        for task in (old, new):
            over = e.TaskCancelled(task=task.id, at=LATER, by=PersonId("ana"), reason="no")
            tx.log.append(task.id, [over], Cause(actor=ANA, delivery=f"c{task.id}"))

    def spoken(since: timedelta, tx: Transaction) -> list[Thread]:
        return tx.threads.spoken_in("console", MORNING + since)

    first, second = old.request.thread, new.request.thread
    assert await room.database.read(partial(spoken, timedelta(days=9))) == [second, first], "work is open there"
    await room.database.write(cancel)
    assert await room.database.read(partial(spoken, timedelta(days=9))) == [second], "the last of all"
    assert await room.database.read(partial(spoken, -timedelta(days=9))) == [second, first]

    def latest(limit: int | None, skip: int, tx: Transaction) -> list[Thread]:
        return tx.threads.latest("console:general", limit, skip)

    assert await room.database.read(partial(latest, None, 0)) == [first, second], "the oldest of them first"
    assert await room.database.read(partial(latest, 1, 0)) == [second]
    assert await room.database.read(partial(latest, 1, 1)) == [first]


async def test_messages_are_found_told_apart_and_put_in_order(room: Room) -> None:
    def talk(tx: Transaction) -> tuple[str, str]:
        tx.messages.keep(THREAD, "7", ANA, "add login", MORNING)
        tx.messages.keep(THREAD, "7", ANA, "twice", MORNING)
        first = tx.messages.post(THREAD, "plan:1", '{"a": 1}', MORNING)
        tx.messages.keep(THREAD, "5", EVE, "and logout", LATER)
        tx.messages.keep(Thread("console:general:2"), "1", ANA, "elsewhere", MORNING)
        return first, tx.messages.post(THREAD, "plan:1", '{"a": 2}', LATER)

    once, again = await room.database.write(talk)
    assert once == again, "the same key is the same message"

    def look(tx: Transaction) -> tuple[object, ...]:
        m = tx.messages
        found = (m.find(THREAD, "plan:1"), m.find(THREAD, "plan:2"), m.last_said(THREAD), m.first_of(THREAD))
        order = [m.comes_before(THREAD, *pair) for pair in (("7", "5"), ("5", "7"), ("7", "8"))]
        return (*found, order, [each.text for each in m.in_thread(THREAD, ANA, 9)[0] if each.text])

    found = await room.database.read(look)
    assert found == (once, None, "5", min("5", "7", once), [True, False, False], ["add login", "and logout"])

    def mark(tx: Transaction) -> tuple[bool, bool, bool]:
        m = tx.messages
        return m.mark_seen(THREAD, "7"), m.mark_seen(THREAD, "8"), m.edit(THREAD, once, '{"a": 3}', LATER)

    assert await room.database.write(mark) == (True, False, True)
    kept, _ = await room.database.read(lambda tx: tx.messages.in_thread(THREAD, ANA, 9))
    assert [(each.message, each.seen, each.edited) for each in kept] == [
        ("7", True, False), (once, False, True), ("5", False, False),
    ]  # fmt: skip
    assert next(each.card for each in kept if each.message == once) == '{"a": 3}'
