"""The log as one job sees it: what the job records and its end are one transaction."""

from collections.abc import Callable, Sequence

from agents.domain.asking import Moment
from agents.domain.events import Event
from agents.domain.ids import TaskId
from agents.domain.task import Task
from agents.ports import Decide
from store.books import Books
from store.codec import Cause
from store.database import Database
from store.jobs import Job

Also = Callable[[Task, Moment], Sequence[Event]]


class JobLog:
    """Implements agents.ports.Store. A job that died is run again only if it recorded nothing."""

    def __init__(
        self, database: Database, job: Job, moment: Callable[[Task, str], Moment], also: Also = lambda task, moment: ()
    ) -> None:
        self._database = database
        self._job = job
        self._moment = moment
        self._also = also  # facts that came up on the way, such as a budget that runs low

    async def task(self, id: TaskId) -> Task:
        return await self._database.read(lambda books: books.log.task(id))

    async def record(self, id: TaskId, decide: Decide) -> None:
        job, cause = self._job, Cause(actor="overlord", delivery=f"job:{self._job.id}")

        def transaction(books: Books) -> None:
            books.jobs.finish(job.id, job.fence)
            task = books.log.task(id)
            moment = self._moment(task, cause.delivery)
            books.log.append(id, [*self._also(task, moment), *decide(task, moment)], cause)

        await self._database.write(transaction)
