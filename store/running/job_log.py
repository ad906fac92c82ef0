"""The log as one job sees it: what it records last and its end are one transaction."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace

from agents.domain.decisions.kind import Moment
from agents.domain.events import Event
from agents.domain.ids import PersonId, TaskId, project_id
from agents.domain.task.task import Task
from agents.ports import Decide
from store.books import Books
from store.codec import Cause
from store.database import Database
from store.running.jobs import Job

LOOK_AGAIN = 0.25  # seconds of the machine between two looks at a task that is waited for
Also = Callable[[Task, Moment], Sequence[Event]]


class JobLog:
    """Implements agents.ports.Store. A job that died is run again unless it recorded its end; what it noted stays."""

    def __init__(
        self, database: Database, job: Job, moment: Callable[[Task, str], Moment], also: Also = lambda task, moment: ()
    ) -> None:
        self._database = database
        self._job = job
        self._moment = moment
        self._also = also  # facts that came up on the way, such as a budget that runs low

    async def task(self, id: TaskId) -> Task:
        return await self._database.read(lambda books: books.log.task(id))

    async def note(self, id: TaskId, decide: Decide) -> Task:
        return await self._append(id, decide, lambda books: books.jobs.hold(self._job.id, self._job.fence))

    async def name(self, person: PersonId) -> str:
        name = await self._database.read(lambda books: books.people.name(person))
        return "" if name == person else name

    async def until(self, id: TaskId, holds: Callable[[Task], bool]) -> Task:
        while not holds(task := await self.task(id)):  # noqa: ASYNC110  another process may write it
            await asyncio.sleep(LOOK_AGAIN)
        return task

    async def record(self, id: TaskId, decide: Decide) -> None:
        await self._append(id, decide, lambda books: books.jobs.finish(self._job.id, self._job.fence))

    async def _append(self, id: TaskId, decide: Decide, first: Callable[[Books], None]) -> Task:
        cause = Cause(actor="overlord", delivery=f"job:{self._job.id}")

        def transaction(books: Books) -> Task:
            first(books)
            task = books.log.task(id)
            moment = replace(
                self._moment(task, cause.delivery),
                is_proposed=books.proposals.is_known,
                project=lambda: books.log.project(project_id(task.project)) if task.project else None,
            )
            return books.log.append(id, [*self._also(task, moment), *decide(task, moment)], cause)

        return await self._database.write(transaction)
