"""What is older than people want it kept is removed or moves into files, and nothing else is."""

import asyncio
import gzip
from dataclasses import replace
from datetime import timedelta
from functools import partial
from pathlib import Path

import pytest
from sqlalchemy import Table, func, insert, select, text
from sqlalchemy.exc import DBAPIError

from agents.domain import events as e
from agents.domain.decisions.authority import Kind
from agents.domain.errors import TaskArchived
from agents.domain.ids import TaskId, Thread
from agents.domain.limits import Retention
from agents.domain.task.task import Task
from bot.running.upkeep import Pruning, archive_tasks
from store import tables
from store.chat.deliveries import DeliveryState, Received
from store.codec import Cause
from store.database import Database
from store.note_table import notes
from store.retention import BATCH, RUNS, damaged_files, facts_in, file_of, lines_of, read_file, remove_rows, write_file
from store.skill_tables import skills
from store.transaction import Transaction
from tests.store.room import ANA, CHANNEL, MORNING, YES, Room

DAY = 86_400.0


async def end(room: Room, task: Task) -> None:
    fact = e.TaskCancelled(task=task.id, at=room.clock.now(), by=task.request.by, reason="over")
    await room.database.write(lambda tx: tx.log.append(task.id, [fact], Cause(actor=ANA, delivery="end")))


async def old_task(room: Room) -> Task:
    task = await room.task()
    await room.say(ANA, "mind the gap", task.request.thread)
    await end(room, task)
    await room.announce()
    room.clock.pass_(31 * DAY)
    return task


async def archive(room: Room, folder: Path, days: int | None = 30) -> int:
    return await archive_tasks(replace(room.office, retention=Retention(archived=days)), folder)


async def rows_left(room: Room, task: TaskId) -> dict[str, int]:
    def question(tx: Transaction) -> dict[str, int]:
        counted = {line["table"] for line in lines_of(tx.db, task)}
        events = tx.db.execute(select(func.count()).where(tables.events.c.stream == task)).scalar_one()
        return dict.fromkeys(counted, 1) | ({"events": events} if events else {})

    return await room.database.read(question)


async def test_an_old_task_goes_into_a_file_and_its_head_stays(room: Room, tmp_path: Path) -> None:
    folder = tmp_path / "archive"
    task = await old_task(room)
    young = await room.task()
    await end(room, young)
    await room.announce()
    facts = [r.event for r in await room.database.read(lambda tx: tx.log.facts(task.id))]
    assert await archive(room, folder, None) == 0, "off by default"
    assert await archive(room, folder) == 1 == len(list(folder.iterdir()))
    assert await rows_left(room, task.id) == {} and await rows_left(room, young.id)
    assert facts_in(read_file(folder, task.id)) == facts
    assert await room.database.read(lambda tx: damaged_files(tx.db, folder)) == [] and await room.whole()
    with pytest.raises(TaskArchived, match="--archived"):
        await room.database.read(lambda tx: tx.log.task(task.id))
    assert await archive(room, folder) == 0, "once"
    assert file_of(folder, task.id).stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("table", [skills, notes])
async def test_what_a_skill_or_a_note_came_of_stays_beside_it(room: Room, tmp_path: Path, table: Table) -> None:
    """Their rows name the decisions of people by which they came in."""
    task = await old_task(room)
    more = {"draft": 1, "spec": "{}", "revises": ""} if table is skills else {"id": "n", "change": "{}"}
    row = {"task": task.id, "project": "shop", "name": "x", "at": 0.0, **more}
    state = "draft" if table is skills else "pending"
    await room.database.write(lambda tx: tx.db.execute(insert(table).values({**row, "state": state})) and None)
    assert await archive(room, tmp_path) == 0


async def test_a_number_is_never_given_twice(room: Room, tmp_path: Path) -> None:
    task = await old_task(room)
    await archive(room, tmp_path)
    assert (task.id, (await room.task()).id) == ("T-1", "T-2")


async def test_an_open_task_and_one_that_is_not_read_to_its_end_stay(room: Room, tmp_path: Path) -> None:
    await room.task()
    await room.announce()
    unread = await room.task()
    await end(room, unread)
    room.clock.pass_(31 * DAY)
    assert await archive(room, tmp_path) == 0


async def test_cut_short_before_the_rows_went_it_is_done_again(room: Room, tmp_path: Path) -> None:
    task = await old_task(room)
    lines = await room.database.read(lambda tx: lines_of(tx.db, task.id))
    write_file(tmp_path, task.id, lines[:3])  # of an earlier run
    (tmp_path / f".{task.id}.unfinished").write_bytes(b"half")
    assert await archive(room, tmp_path) == 1
    assert await room.database.read(lambda tx: damaged_files(tx.db, tmp_path)) == []
    assert not await asyncio.to_thread((tmp_path / f".{task.id}.unfinished").exists)


async def test_what_changed_since_the_file_was_written_is_not_removed(room: Room) -> None:
    task = await old_task(room)
    lines = await room.database.read(lambda tx: lines_of(tx.db, task.id))
    await room.database.write(lambda tx: tx.db.execute(text("UPDATE messages SET text = 'edited'")))
    assert not await room.database.write(lambda tx: remove_rows(tx, task.id, lines, room.clock.now()))
    assert await room.whole() and await rows_left(room, task.id)


async def test_facts_of_other_tasks_are_still_never_deleted(room: Room, tmp_path: Path) -> None:
    await old_task(room)
    other = await room.task()
    await archive(room, tmp_path)
    with pytest.raises(DBAPIError, match="never"):
        await room.database.write(lambda tx: tx.db.execute(text("DELETE FROM events")))
    assert await rows_left(room, other.id)


@pytest.mark.parametrize("how", ["gone", "cut", "changed", "shorter"])
async def test_a_damaged_file_is_named(room: Room, tmp_path: Path, how: str) -> None:
    task = await old_task(room)
    await archive(room, tmp_path)
    file = file_of(tmp_path, task.id)
    match how:
        case "gone":
            file.unlink()
        case "cut":
            file.write_bytes(file.read_bytes()[:-20])
        case "changed":
            file.write_bytes(
                gzip.compress(gzip.decompress(file.read_bytes()).replace(b"mind the gap", b"mind the cap"))
            )
        case _:
            lines = read_file(tmp_path, task.id)
            last = max(line["row"]["seq"] for line in lines if line["table"] == "events")
            write_file(tmp_path, task.id, [line for line in lines if line["row"].get("seq") != last])
    assert await room.database.read(lambda tx: damaged_files(tx.db, tmp_path)) == [task.id]


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
    if not tx.log.task(task.id).has_ended:
        tx.log.append(task.id, [cancelled], Cause(actor=ANA, delivery="d"))
