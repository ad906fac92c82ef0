"""Pull requests as the local forge sees them: each act is one transaction."""

from collections.abc import Sequence

from agents.ports import Clock, Pull, PullComment, PullRecord
from store.database import Database


class PullLog:
    """Implements agents.ports.PullBook."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def open(self, pull: Pull, base: str) -> PullRecord:
        at = self._clock.now()
        return await self._database.write(lambda books: books.pulls.open(pull, base, at))

    async def find(self, project: str, number: int) -> PullRecord | None:
        return await self._database.read(lambda books: books.pulls.find(project, number))

    async def merging(self, project: str, number: int, was: str, commit: str) -> None:
        await self._database.write(lambda books: books.pulls.merging(project, number, was, commit))

    async def mark_merged(self, project: str, number: int, commit: str) -> None:
        await self._database.insist(lambda books: books.pulls.mark_merged(project, number, commit))

    async def comment(self, key: str, project: str, number: int, text: str) -> None:
        at = self._clock.now()
        await self._database.write(lambda books: books.pulls.comment(key, project, number, text, at))

    async def comments(self, project: str, number: int) -> Sequence[PullComment]:
        return await self._database.read(lambda books: books.pulls.comments(project, number))
