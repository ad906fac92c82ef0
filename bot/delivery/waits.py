"""Silence for as long as a provider asks for it, across restarts. In real time: a provider knows no other."""

import logging
import time
from datetime import UTC, datetime, timedelta

from bot.messages import Later
from store.database import Database, StoreUnavailable

log = logging.getLogger("overlord.waits")


async def recall_waits(platform: str, database: Database) -> "Waits":
    """With what an earlier process was asked for."""
    waits = Waits(platform, database)
    await waits.recall()
    return waits


class Waits:
    """Of one platform. Without a database they last as long as the process."""

    def __init__(self, platform: str = "", database: Database | None = None) -> None:
        self._platform = platform
        self._database = database
        self._until: dict[str, float] = {}

    async def recall(self) -> None:
        """What an earlier process was asked for."""
        if self._database:
            left = await self._database.read(lambda tx: tx.waits.remaining(self._platform, datetime.now(UTC)))
            self._until = {scope: time.monotonic() + seconds for scope, seconds in left.items()}

    def seconds_left(self, scope: str) -> float:
        """Seconds until this may be asked again; 0: now."""
        until = self._until.get(self._named(scope))
        return 0.0 if until is None else max(0.0, until - time.monotonic())

    def check(self, scope: str) -> None:
        """Raises Later instead of asking in vain."""
        if left := self.seconds_left(scope):
            raise Later(left)

    async def keep(self, scope: str, seconds: float) -> None:
        """On disk before anybody is told, for whoever is told may die of it."""
        name, now = self._named(scope), time.monotonic()
        self._until = {known: until for known, until in self._until.items() if until > now}
        self._until[name] = now + seconds
        if self._database is None:
            return
        wait = timedelta(seconds=seconds)
        try:
            await self._database.write(lambda tx: tx.waits.keep(name, wait, datetime.now(UTC)))
        except StoreUnavailable:  # it still holds for this process
            log.warning("a wait could not be kept", extra={"scope": name, "seconds": seconds})

    def _named(self, scope: str) -> str:
        return f"{self._platform}:{scope}"
