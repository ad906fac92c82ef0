"""Failures by their signature, on both databases: which of them another task of the same project has met."""

from dataclasses import replace

from sqlalchemy import text

from agents.domain import events as e
from agents.domain.ids import TaskId
from agents.domain.learning.signature import Pattern, of_blocker
from agents.domain.task.task import Task
from agents.domain.work.work import Ending
from store.streams import failures
from store.transaction import Transaction
from tests.store.room import MORNING, Room

GONE = "protoc: command not found"


def met(tx: Transaction, task: Task, words: str) -> None:
    blocked = e.MinionFailed(task=task.id, at=MORNING, subtask=1, attempt=1, ending=Ending.BLOCKED, problem=words)
    failures.write(tx.db, task, blocked)


def task_of(task: Task, number: int, project: str = "shop") -> Task:
    return replace(task, id=TaskId(f"T-{number}"), project=project)


async def test_what_another_task_of_the_project_met_is_a_pattern(room: Room) -> None:
    one = task_of(await room.task(), 1)
    two, elsewhere = task_of(one, 2), task_of(one, 3, "web")

    def write(tx: Transaction) -> list[list[Pattern]]:
        met(tx, elsewhere, GONE)
        met(tx, one, GONE)
        alone = tx.failures.find_repeated(one)
        met(tx, two, "The tool `protoc` is not installed.")
        met(tx, two, "bash: protoc: command not found")
        met(tx, two, "make: not found")
        return [alone, tx.failures.find_repeated(two), tx.failures.find_repeated(elsewhere)]

    alone, found, apart = await room.database.write(write)
    assert alone == apart == []
    [pattern] = found
    assert (pattern.signature.key, pattern.tasks) == (of_blocker(GONE).key, ("T-1", "T-2"))


async def test_what_is_only_about_to_be_recorded_counts(room: Room) -> None:
    one = task_of(await room.task(), 1)

    def write(tx: Transaction) -> list[Pattern]:
        met(tx, one, GONE)
        return tx.failures.find_repeated(task_of(one, 2), [of_blocker(GONE)])

    [pattern] = await room.database.write(write)
    assert pattern.tasks == ("T-1", "T-2")


async def test_a_rehearsal_fails_by_its_script_and_is_no_pattern(room: Room) -> None:
    one = task_of(await room.task(), 1)
    played = replace(one, plan=replace(one.plan, rehearsal=True))

    def write(tx: Transaction) -> int:
        met(tx, played, GONE)
        return int(tx.db.execute(text("SELECT count(*) FROM failures")).scalar_one())

    assert await room.database.write(write) == 0


async def test_the_look_goes_by_an_index_however_many_there_are(room: Room) -> None:
    one = task_of(await room.task(), 1)

    def write(tx: Transaction) -> list[str]:
        for number in range(2, 60):
            met(tx, task_of(one, number), f"tool{number}: command not found")
        asked = "SELECT task FROM failures WHERE project = 'shop' AND key = 'x' AND task != 'T-1'"
        if tx.db.dialect.name == "sqlite":
            return [str(row) for row in tx.db.execute(text(f"EXPLAIN QUERY PLAN {asked}"))]
        tx.db.execute(text("SET LOCAL enable_seqscan = off"))
        return [str(row) for row in tx.db.execute(text(f"EXPLAIN {asked}"))]

    plan = " ".join(await room.database.write(write))
    assert "failures_by_key" in plan, plan
