"""The log as one job sees it: what the job records and its end are one transaction."""

from collections.abc import Callable

from agents.domain.asking import Moment
from agents.domain.ids import TaskId
from agents.domain.task import Task
from agents.ports import Decide
from store.books import Books
from store.codec import Cause
from store.database import Database
from store.jobs import Job


class JobLog:
    """Implements agents.ports.Store. A job that died is run again only if it recorded nothing."""

    def __init__(self, database: Database, job: Job, moment: Callable[[Task, str], Moment]) -> None:
        self._database = database
        self._job = job
        self._moment = moment

    async def task(self, id: TaskId) -> Task:
        return await self._database.read(lambda books: books.log.task(id))

    async def record(self, id: TaskId, decide: Decide) -> None:
        job, cause = self._job, Cause(actor="overlord", delivery=f"job:{self._job.id}")

        def transaction(books: Books) -> None:
            books.jobs.finish(job.id, job.fence)
            task = books.log.task(id)
            books.log.append(id, decide(task, self._moment(task, cause.delivery)), cause)

        await self._database.write(transaction)
