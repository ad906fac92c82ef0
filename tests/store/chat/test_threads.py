"""Where people talk: the threads of a platform with something open in them, and the copies of what was said there."""

from datetime import timedelta
from functools import partial

from agents.domain import events as e
from agents.domain.ids import Account, PersonId, Thread
from store.codec import Cause
from store.transaction import Transaction
from tests.store.room import ANA, MORNING, Room, open_task

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
    kept = await room.database.read(lambda tx: tx.messages.in_thread(THREAD, ANA))
    assert [(each.message, each.text, each.edited) for each in kept] == [
        ("1", "add a login", True),
        ("2", "and logout", False),
    ]
