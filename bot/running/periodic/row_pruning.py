"""Removes what the retention settings no longer want kept: small batches, each its own transaction."""

import logging
from datetime import datetime

from bot.services import Office
from store.running.pruning import PRUNED, START

log = logging.getLogger("overlord.pruning")


class Pruning:
    def __init__(self, office: Office) -> None:
        self._database, self._clock, self._retention = office.database, office.clock, office.retention
        self._after = dict(START)  # the last row that was looked at

    async def prune(self) -> int:
        """Remove what is too old. Returns how many rounds of one batch of each kind that took."""
        rounds = 0
        while sum([await self._prune_batch(name, self._clock.now()) for name in PRUNED]):
            rounds += 1
        for name in ("messages", "turns"):  # those of a task that was open may go the next time
            self._after[name] = START[name]
        return rounds

    async def _prune_batch(self, name: str, now: datetime) -> int:
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
