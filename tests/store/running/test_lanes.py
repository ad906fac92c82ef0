"""Long jobs run in lanes: so many in all, so many a project, and never in the way of what people wait for."""

from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import select
from sqlalchemy.exc import IntegrityError

from agents.domain.ids import PersonId
from agents.domain.limits import Limits
from agents.domain.work.work import QueuePause
from store.running.jobs import Job, JobState
from store.running.leases import Lease
from store.tables import jobs
from store.transaction import Transaction
from tests.store.queue import LEASE, Queue
from tests.store.room import MORNING, UNLIMITED, Room


@pytest.fixture
async def queue(room: Room) -> Queue:
    return Queue(room, await room.task())


async def ask(queue: Queue, room: Room, **lanes: str) -> None:
    """One job a name: `a1="shop"` is the job a1 in the lane of the project shop, `chat=""` one that people wait for."""
    [first, *_] = await room.database.read(lambda tx: tx.log.facts(queue.task.id))
    await queue.do(lambda tx: tx.jobs.ask(*((first, flow, lane) for flow, lane in lanes.items())))


async def claim(queue: Queue, most: int = 10, at: Any = MORNING, owner: str = "one", **limits: int) -> list[Job]:
    """A process knows which jobs it is at; all that it holds here counts as such."""
    given = replace(UNLIMITED, **limits)

    def take(tx: Transaction) -> list[Job]:
        held = select(jobs.c.id).where(jobs.c.state == JobState.LEASED, jobs.c.lease_owner == owner)
        busy = tuple(tx.db.execute(held).scalars())
        return tx.jobs.claim(Lease(owner=owner, at=at, until=at + LEASE, dead=(), busy=busy), given, most)

    return sorted(await queue.do(take), key=lambda job: job.flow)


def names(jobs: list[Job]) -> list[str]:
    return [job.flow for job in jobs]


async def test_only_so_many_run_in_all(queue: Queue, room: Room) -> None:
    await ask(queue, room, a1="a", b1="b", c1="c")
    assert len(await claim(queue, minions=2, minions_per_project=50)) == 2
    assert await claim(queue, minions=2, minions_per_project=50) == []
    assert len(await claim(queue, minions=3, minions_per_project=50)) == 1


async def test_only_so_many_run_of_a_project(queue: Queue, room: Room) -> None:
    await ask(queue, room, a1="a", a2="a", a3="a", b1="b")
    taken = await claim(queue, minions=50, minions_per_project=2)
    assert len([job for job in taken if job.flow.startswith("a")]) == 2 and "b1" in names(taken)
    assert await claim(queue, minions=50, minions_per_project=2) == []


async def test_what_another_process_runs_counts_until_its_lease_is_over(queue: Queue, room: Room) -> None:
    await ask(queue, room, a1="a", a2="a")
    assert len(await claim(queue, most=1, owner="two")) == 1
    assert await claim(queue, minions_per_project=1) == []
    late = await claim(queue, at=MORNING + LEASE, minions_per_project=1)
    assert len(late) == 1, "the other process is gone, and its place is free"


async def test_while_the_queue_is_paused_only_what_has_begun_is_claimed(queue: Queue, room: Room) -> None:
    await ask(queue, room, a1="a")
    [begun] = await claim(queue)
    assert await queue.do(lambda tx: tx.jobs.pause(PersonId("lead"), "press-1", MORNING))
    assert not await queue.do(lambda tx: tx.jobs.pause(PersonId("ana"), "press-2", MORNING)), "it is paused already"
    assert await room.database.read(lambda tx: tx.jobs.current_pause()) == QueuePause(by=PersonId("lead"), at=MORNING)
    await ask(queue, room, a2="a", chat="")
    assert names(await claim(queue)) == ["chat"], "what people wait for is claimed as ever"
    assert await room.database.read(lambda tx: tx.jobs.waiting_tasks()) == [queue.task.id]
    await queue.do(lambda tx: tx.jobs.release([begun]))  # the program was stopped, and comes back
    assert names(await claim(queue)) == ["a1"]
    assert await queue.do(lambda tx: tx.jobs.resume()) and not await queue.do(lambda tx: tx.jobs.resume())
    assert names(await claim(queue)) == ["a2"]


async def test_what_ended_makes_room(queue: Queue, room: Room) -> None:
    await ask(queue, room, a1="a", a2="a")
    [job] = await claim(queue, minions=1)
    await queue.do(lambda tx: tx.jobs.finish(job.id, job.fence))
    assert len(await claim(queue, minions=1)) == 1


async def test_what_people_wait_for_needs_no_room_and_comes_first(queue: Queue, room: Room) -> None:
    await ask(queue, room, a1="a", chat1="", chat2="")
    assert names(await claim(queue, most=2, minions=1)) == ["chat1", "chat2"]
    assert names(await claim(queue, most=2, minions=1)) == ["a1"]
    await ask(queue, room, chat3="")
    assert names(await claim(queue, minions=1)) == ["chat3"], "although no lane has room"


async def test_no_more_are_taken_than_asked_for(queue: Queue, room: Room) -> None:
    await ask(queue, room, a1="a", b1="b", c1="c", chat="")
    assert len(await claim(queue, most=3, minions=50)) == 3
    assert len(await claim(queue, most=3, minions=50)) == 1


async def test_lease_owners_are_those_who_hold_something_now(queue: Queue, room: Room) -> None:
    await ask(queue, room, one="", two="", three="")
    [first] = await claim(queue, most=1, owner="done")
    await queue.do(lambda tx: tx.jobs.finish(first.id, first.fence))
    [second] = await claim(queue, most=1, owner="put back")
    await queue.do(lambda tx: tx.jobs.release([second]))
    await claim(queue, most=1, owner="at it")
    assert await queue.do(lambda tx: tx.jobs.lease_owners()) == {"at it"}


async def test_a_job_that_cannot_be_written_is_an_error_and_none_of_its_batch_is(queue: Queue, room: Room) -> None:
    [first, *_] = await room.database.read(lambda tx: tx.log.facts(queue.task.id))
    nowhere: Any = None
    with pytest.raises(IntegrityError):
        await queue.do(lambda tx: tx.jobs.ask((first, "plan", ""), (first, "review", nowhere)))
    assert await claim(queue) == []


def test_the_limits_are_those_that_people_may_set() -> None:
    assert (Limits().minions_per_project, Limits().minions >= Limits().minions_per_project) == (3, True)
