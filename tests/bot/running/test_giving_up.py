"""Jobs that cannot be finished: what was tried as often as it may be is given up at once, all else comes again."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from sqlalchemy import text

from agents.domain.decisions.authority import Kind
from agents.domain.errors import NoAnswer, StepFailed, StepRests
from agents.domain.ids import TaskId
from agents.ports import ForgeFailed, Ports, ProjectUnusable
from bot.running.jobs import Jobs, launch
from bot.running.scheduler import Scheduler
from bot.services import Leases
from store.database import Database
from store.running.jobs import Job
from tests.store.room import Room, office_of


@pytest.fixture
async def room(tmp_path: Path) -> AsyncIterator[Room]:
    database = Database(f"sqlite:///{tmp_path / 'overlord.db'}")
    try:
        yield Room(office_of(database))
    finally:
        database.close()


async def state_after(room: Room, problem: Exception) -> tuple[str, str, TaskId]:
    """Of a job that ends with it once."""

    async def ports(job: Job) -> Ports:
        raise problem

    task = await room.task()
    await room.database.write(launch)
    jobs = Jobs(room.office, ports, Leases(room.clock), Scheduler(room.clock))
    await jobs.run_waiting()
    async with asyncio.timeout(20):
        await jobs.ended.wait()
    await jobs.stop()
    row = await room.database.read(lambda tx: tx.db.execute(text("SELECT state, problem FROM jobs")).one())
    return row.state, row.problem, task.id


@pytest.mark.parametrize("kind", [NoAnswer, ProjectUnusable, StepFailed, StepRests])
async def test_what_was_tried_as_often_as_it_may_be_is_a_persons_at_once(room: Room, kind: type[Exception]) -> None:
    problem = kind("GitHub cannot be reached", next_step="Check the network.")  # type: ignore[call-arg]
    state, told, id = await state_after(room, problem)
    assert (state, told) == ("parked", "GitHub cannot be reached. Check the network.")
    task = await room.database.read(lambda tx: tx.log.task(id))
    assert task.of_kind(Kind.STUCK)


async def test_a_refusal_and_a_fault_of_our_own_are_tried_again(room: Room) -> None:
    state, told, _ = await state_after(room, ForgeFailed("#1 was closed", next_step="Open it again."))
    assert state == "waiting" and "#1 was closed" in told
