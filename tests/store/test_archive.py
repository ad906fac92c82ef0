"""Tasks that ended long ago move into files, and the hash that stays vouches for each."""

import asyncio
import gzip
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import func, select, text
from sqlalchemy.exc import DBAPIError

from agents.domain import events as e
from agents.domain.errors import TaskArchived
from agents.domain.ids import TaskId
from agents.domain.limits import Retention
from agents.domain.task.task import Task
from bot.running.upkeep import archive_tasks
from store import tables
from store.codec import Cause
from store.retention import damaged_files, facts_in, file_of, lines_of, read_file, remove_rows, write_file
from store.transaction import Transaction
from tests.store.room import ANA, Room

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
