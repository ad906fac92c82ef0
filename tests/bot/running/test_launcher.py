"""The launcher asks for the jobs that the rows of FLOW_AFTER name, and for no others."""

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta
from functools import partial
from pathlib import Path

import pytest

from agents.domain import events as e
from agents.domain.events import Event
from agents.domain.ids import PersonId, TaskId
from agents.domain.task.facts import Origin
from agents.flows import COUNTED, Lane, came_from_issue, row_of
from bot.running.jobs import launch
from store.codec import Cause
from store.database import Database
from store.running.jobs import Job
from store.running.leases import Lease
from store.transaction import Transaction
from tests.store.room import MORNING, UNLIMITED, Room, office_of

ANA = PersonId("ana")
LEASE = Lease(owner="one", at=MORNING, until=MORNING + timedelta(seconds=60))


@pytest.fixture
async def room(tmp_path: Path) -> AsyncIterator[Room]:
    database = Database(f"sqlite:///{tmp_path / 'overlord.db'}")
    try:
        yield Room(office_of(database))
    finally:
        database.close()


async def record(room: Room, task: TaskId, *facts: Event) -> None:
    await room.database.write(lambda tx: tx.log.append(task, facts, Cause(actor="ana", delivery=room.key("f"))))


async def jobs(room: Room) -> list[Job]:
    """What the launcher asks for, ended as soon as it is claimed."""
    await room.database.write(launch)
    claimed = await room.database.write(lambda tx: tx.jobs.claim(LEASE, UNLIMITED, 50))
    for job in claimed:
        await room.database.write(partial(_finish, job))
    return claimed


def _finish(job: Job, tx: Transaction) -> None:
    tx.jobs.finish(job.id, job.fence)


async def flows(room: Room) -> list[str]:
    return [job.flow for job in await jobs(room)]


async def test_what_a_task_at_rest_asks_for_is_held_back_until_it_is_resumed(room: Room) -> None:
    task = (await room.task()).id
    assert await flows(room) == ["intake"]
    chosen = e.ProjectChosen(task=task, at=MORNING, project="shop", by=ANA, why="said so")
    await record(room, task, e.TaskStopped(task=task, at=MORNING, by=ANA), chosen)
    assert await flows(room) == []
    await record(room, task, e.TaskResumed(task=task, at=MORNING, by=ANA))
    assert sorted(await flows(room)) == ["decompose", "prepare_ground", "resume_work"]


async def test_a_task_stopped_again_before_the_launcher_looked_keeps_its_jobs_for_the_next_time(room: Room) -> None:
    task = (await room.task()).id
    stopped, resumed = e.TaskStopped(task=task, at=MORNING, by=ANA), e.TaskResumed(task=task, at=MORNING, by=ANA)
    await record(room, task, stopped, resumed, stopped)
    assert await flows(room) == []
    await record(room, task, resumed)
    assert sorted(await flows(room)) == ["intake", "resume_work", "resume_work"]


async def test_a_remark_is_understood_while_the_task_is_at_rest(room: Room) -> None:
    task = (await room.task()).id
    remark = e.RemarkMade(task=task, at=MORNING, by=ANA, text="how far are you?")
    await record(room, task, e.TaskStopped(task=task, at=MORNING, by=ANA), remark)
    assert await flows(room) == ["understand"]


async def test_a_retried_job_is_the_parked_one_and_no_new_one(room: Room) -> None:
    task = (await room.task()).id
    await room.database.write(launch)
    [job] = await room.database.write(lambda tx: tx.jobs.claim(LEASE, UNLIMITED, 1))
    await room.database.write(lambda tx: tx.jobs.park(job, "it failed"))
    retried = e.JobRetried(task=task, at=MORNING, by=ANA, job=job.id)
    await record(room, task, e.TaskStopped(task=task, at=MORNING, by=ANA), retried)
    [again] = await jobs(room)
    assert (again.id, again.attempts) == (job.id, 0)


async def test_only_a_task_from_an_issue_has_something_to_say_on_it(room: Room) -> None:
    task = await room.task()
    cancelled = e.TaskCancelled(task=task.id, at=MORNING, by=ANA, reason="changed my mind")
    await flows(room)
    await record(room, task.id, cancelled)
    assert await flows(room) == ["tidy"]
    origin = Origin(key="label:1", project="shop", number=7, url="", by="mia", heard=True)
    assert came_from_issue(replace(task, request=replace(task.request, origin=origin))) and not came_from_issue(task)


def test_rows_say_what_runs_long_what_is_counted_and_what_may_fail() -> None:
    assert row_of(e.SubtaskReady, "work").lane is Lane.LONG
    assert row_of(e.StepDue, "run_step").lane is Lane.LONG
    assert row_of(e.GatePassed, "integrate").lane is Lane.SHORT
    assert row_of(e.JobParked, "tell_issue").aside and not row_of(e.TaskCancelled, "tidy").aside
    assert row_of(e.TaskCancelled, "gone long ago").run is None
    assert {e.SubtaskReady, e.ProjectChosen, e.GatePassed} <= COUNTED
    assert COUNTED.isdisjoint({e.MergeApproved, e.TaskCancelled, e.TaskHandedOver})
