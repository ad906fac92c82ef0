"""Removes what the retention settings no longer want kept: small batches, each its own transaction."""

import logging
from datetime import datetime

from bot.services import Office
from store.running.pruning import PRUNED, START

log = logging.getLogger("overlord.pruning")


class Pruning:
    def __init__(self, office: Office) -> None:
        self._database, self._clock, self._retention = office.database, office.clock, office.retention
        self._every = office.limits.within("upkeep_apart")
        self._after = dict(START)  # the last row that was looked at
        self._next: datetime | None = None

    async def look(self) -> int:
        """One batch of each kind. 0: nothing is left to remove until the next look."""
        now = self._clock.now()
        if self._next and now < self._next <= now + self._every:  # a clock that was set back makes it no longer
            return 0
        found = sum([await self._prune(name, now) for name in PRUNED])
        if not found:
            self._next = now + self._every
            for name in ("messages", "turns"):  # those of a task that was open may go the next time
                self._after[name] = START[name]
        return found

    async def next_due(self, since: datetime) -> float | None:
        return max(0.0, (self._next - self._clock.now()).total_seconds()) if self._next else 0.0

    async def _prune(self, name: str, now: datetime) -> int:
        before = self._retention.before(name, now)
        if before is None:
            return 0
        find, remove = PRUNED[name]
        after = self._after[name]
        batch = await self._database.read(lambda books: find(books.db, after, before))
        if batch.rows:
            await self._database.write(lambda books: remove(books.db, batch.rows))
            log.info("old rows were looked through", extra={"kind": name, "rows": len(batch.rows)})
        self._after[name] = batch.last
        return len(batch.rows) or int(batch.more)
