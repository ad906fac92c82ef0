"""Helpers that the tests of jobs share with others."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import TypeVar

from sqlalchemy import text

from agents.domain.task.task import Task
from store.running.jobs import Job
from store.running.leases import Lease
from store.transaction import Transaction
from tests.store.room import MORNING, UNLIMITED, Room

LEASE = timedelta(seconds=UNLIMITED.job_lease)


Result = TypeVar("Result")


class Queue:
    """The jobs of a database, from a test's side."""

    def __init__(self, room: Room, task: Task) -> None:
        self._room, self.task = room, task

    async def do(self, what: Callable[[Transaction], Result]) -> Result:
        return await self._room.database.write(what)

    async def ask(self, *flows: str) -> None:
        [first, *_] = await self._room.database.read(lambda tx: tx.log.facts(self.task.id))

        await self.do(lambda tx: tx.jobs.ask(*((first, flow, "") for flow in flows)))

    async def claim(
        self, at: datetime = MORNING, owner: str = "one", dead: tuple[str, ...] = (), busy: tuple[str, ...] = ()
    ) -> list[Job]:
        lease = Lease(owner=owner, at=at, until=at + LEASE, dead=dead, busy=busy)
        return await self.do(lambda tx: tx.jobs.claim(lease, UNLIMITED, 10))

    async def state(self, job: Job) -> tuple[str, int]:
        question = text("SELECT state, attempts FROM jobs WHERE id = :id").bindparams(id=job.id)
        return tuple(await self._room.database.read(lambda tx: tx.db.execute(question).one()))


def flows(jobs: list[Job]) -> list[str]:
    return [job.flow for job in jobs]
