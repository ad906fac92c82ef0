"""The calls as those who ask models see them: each step of a call is one transaction."""

from collections.abc import Callable
from dataclasses import replace

from agents.domain.models.budget import Budgets
from agents.domain.task.task import Task
from agents.ports import Admitted, Answered, Call, Clock, Spent, Tried
from store.books import Books
from store.database import Database

TaskLimit = Callable[[Task], float | None]


class CallLog:
    """Implements agents.ports.CallBook. `task_limit`: what a person raised a task's own budget to, if anyone did."""

    def __init__(self, database: Database, clock: Clock, budgets: Budgets, task_limit: TaskLimit) -> None:
        self._database = database
        self._clock = clock
        self._budgets = budgets
        self._task_limit = task_limit

    async def begin(self, call: Call) -> Admitted | Answered:
        budgets, at = self._limits(call), self._clock.now()
        return await self._database.write(lambda books: books.calls.begin(call, budgets, at))

    async def record_try(self, call: Call, tried: Tried) -> None:
        at = self._clock.now()
        await self._database.insist(lambda books: books.calls.record_try(call, tried, at))

    async def finish(self, call: Call, tried: Tried, answer: str, degraded: str) -> Spent:
        budgets, at = self._limits(call), self._clock.now()

        def transaction(books: Books) -> Spent:
            spent = books.calls.record_try(call, tried, at, answer, degraded)
            return books.calls.warn(call, spent, budgets, at) if spent else books.calls.total_spent(call)

        return await self._database.insist(transaction)

    def _limits(self, call: Call) -> Budgets:
        own = self._task_limit(call.task) if call.task else None
        return self._budgets if own is None else replace(self._budgets, task=own)
