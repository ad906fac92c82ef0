"""The clock, and the store of facts as flows see it."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Protocol

from agents.domain.decisions.kind import Moment
from agents.domain.events import Event
from agents.domain.ids import PersonId, TaskId
from agents.domain.task.task import Task

Decide = Callable[[Task, Moment], Sequence[Event]]


class Clock(Protocol):
    """The time. Tests scale it and make it jump."""

    def now(self) -> datetime: ...

    def real_seconds(self, seconds: float) -> float:
        """How long to wait, on the machine's own clock, for so many seconds to pass on this one."""
        ...


class Store(Protocol):
    """The log of facts, as one job sees it."""

    async def task(self, id: TaskId) -> Task:
        """The task as its facts leave it now."""
        ...

    async def note(self, id: TaskId, decide: Decide) -> Task:
        """Append facts while the job goes on, and return the task as it is then. Raises StaleLease."""
        ...

    async def name(self, person: PersonId) -> str:
        """What a person is called; empty if they are not known."""
        ...

    async def until(self, id: TaskId, holds: Callable[[Task], bool]) -> Task:
        """Wait for the task to be so."""
        ...

    async def record(self, id: TaskId, decide: Decide) -> None:
        """Load the task, decide, append the facts and end the job, all in one transaction.

        A decision is a plain function, so nothing slow can be awaited inside the transaction.
        """
        ...
