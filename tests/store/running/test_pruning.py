"""What is older than people want it kept is removed, and nothing else is."""

from dataclasses import replace
from datetime import timedelta
from functools import partial

import pytest
from sqlalchemy import text

from agents.domain import events as e
from agents.domain.decisions.authority import Kind
from agents.domain.ids import Thread
from agents.domain.limits import Retention
from agents.domain.task.task import Task
from bot.running.upkeep import Pruning
from store import tables
from store.chat.deliveries import DeliveryState, Received
from store.codec import Cause
from store.database import Database
from store.retention import BATCH, RUNS
from store.transaction import Transaction
from tests.store.room import ANA, CHANNEL, MORNING, YES, Room

DAY = 86_400.0


async def prune(room: Room, retention: Retention) -> int:
    return await Pruning(replace(room.office, retention=retention)).prune()


async def column(database: Database, statement: str) -> list[str]:
    return await database.read(lambda tx: list(tx.db.execute(text(statement)).scalars()))


def messages(database: Database):  # type: ignore[no-untyped-def]
    return column(database, "SELECT text FROM messages ORDER BY id")


async def talk(room: Room) -> None:
    await room.say(ANA, "thanks", f"{CHANNEL}:old")
    room.clock.pass_(10 * DAY)
    await room.say(ANA, "cheers", f"{CHANNEL}:new")


@pytest.mark.parametrize(
    ("retention", "left", "delivered"),
    [
        (Retention(), ["thanks", "cheers"], 2),
        (Retention(messages=7), ["cheers"], 2),
        (Retention(deliveries=7), ["thanks", "cheers"], 1),
        (Retention(messages=20, deliveries=20), ["thanks", "cheers"], 2),
        (Retention(messages=7, deliveries=7), ["cheers"], 1),
    ],
)
async def test_each_goes_after_the_days_that_its_own_setting_says(
    room: Room, retention: Retention, left: list[str], delivered: int
) -> None:
    await talk(room)
    await prune(room, retention)
    assert await messages(room.database) == left
    assert len(await column(room.database, "SELECT key FROM deliveries")) == delivered


async def test_the_talk_of_an_open_task_stays_until_it_has_ended(room: Room) -> None:
    await room.say(ANA, "add a login form", f"{CHANNEL}:1")
    room.clock.pass_(10 * DAY)
    pruning = Pruning(replace(room.office, retention=Retention(messages=7)))
    await pruning.prune()
    assert await messages(room.database) == ["add a login form"]
    await room.database.write(lambda tx: tx.db.execute(text("UPDATE snapshots SET ended = true")))
    room.clock.pass_(DAY)  # the same process finds it the next time
    await pruning.prune()
    assert await messages(room.database) == []


async def test_what_decided_something_stays_without_its_words(room: Room) -> None:
    task = await room.task()
    decision = await room.ask(task, Kind.PROPOSAL)
    assert (await room.press(ANA, decision, YES, words="please do")).state is DeliveryState.HANDLED
    room.clock.pass_(10 * DAY)
    await prune(room, Retention(deliveries=7))
    assert await column(room.database, "SELECT body FROM deliveries") == [""]
    assert await room.whole()


async def test_an_issue_that_was_taken_on_is_known_for_ever_and_what_is_unread_is_left_alone(room: Room) -> None:
    def keep(kind: str, tx: Transaction) -> None:
        received = Received(
            key=kind, kind=kind, body="{}", account=ANA, channel=CHANNEL, thread=Thread(f"{CHANNEL}:1"), at=MORNING
        )
        tx.deliveries.keep(received)
        if kind != "Said":
            tx.deliveries.settle(kind, DeliveryState.HANDLED, "", MORNING)

    for kind in ("Labelled", "Mandated", "Said", "Edited"):
        await room.database.write(partial(keep, kind))
    room.clock.pass_(10 * DAY)
    await prune(room, Retention(deliveries=7))
    rows = await column(room.database, "SELECT key || body FROM deliveries ORDER BY key")
    assert rows == ["Labelled", "Mandated", "Said{}"]


async def test_much_is_removed_in_bounded_batches(room: Room) -> None:
    def fill(tx: Transaction) -> None:
        for number in range(2 * BATCH + 1):
            tx.messages.keep(Thread(f"{CHANNEL}:1"), str(number), ANA, "hello", MORNING)

    await room.database.write(fill)
    room.clock.pass_(timedelta(days=8).total_seconds())
    assert await prune(room, Retention(messages=7)) == 3
    assert await messages(room.database) == []


@pytest.mark.parametrize(("days", "left"), [(None, 4), (20, 4), (7, 2)])
async def test_turns_go_when_their_task_has_ended_long_enough(room: Room, days: int | None, left: int) -> None:
    ended, under_way = await room.task(), await room.task()
    for task in (ended, under_way):
        for run in (f"{task.id}.1-1", f"{task.id}.2-1"):
            row = {"run": run, "number": 0, "body": "{}", "at": 0.0}
            await room.database.write(lambda tx, row=row: tx.db.execute(tables.turns.insert(), row))  # type: ignore[misc]
    await room.database.write(partial(_end, ended))
    room.clock.pass_(10 * DAY)
    await prune(room, Retention(turns=days))
    runs = await column(room.database, "SELECT run FROM turns ORDER BY run")
    assert len(runs) == left and {run for run in runs if run.startswith(under_way.id)} == {"T-2.1-1", "T-2.2-1"}


async def test_turns_behind_many_that_stay_are_found_and_later_ends_too(room: Room) -> None:
    first, second = await room.task(), await room.task()
    rows = [{"run": f"{first.id}.{n}-1", "number": 0, "body": "{}", "at": 0.0} for n in range(RUNS)]
    rows.append({"run": f"{second.id}.1-1", "number": 0, "body": "{}", "at": 0.0})
    await room.database.write(lambda tx: tx.db.execute(tables.turns.insert(), rows))
    await room.database.write(partial(_end, second))
    room.clock.pass_(10 * DAY)
    office = replace(room.office, retention=Retention(turns=7))
    pruning = Pruning(office)
    for left in (RUNS, 0):
        await pruning.prune()
        assert len(await column(room.database, "SELECT run FROM turns")) == left
        await room.database.write(partial(_end, first))
        room.clock.pass_(10 * DAY)


def _end(task: Task, tx: Transaction) -> None:
    at = tx.log.task(task.id).changed_at
    cancelled = e.TaskCancelled(task=task.id, at=at, by=task.request.by, reason="over")
    if not tx.log.task(task.id).ended:
        tx.log.append(task.id, [cancelled], Cause(actor=ANA, delivery="d"))
