"""What a provider asked us to leave alone, and until when: a restart must not forget it."""

from datetime import datetime, timedelta

from sqlalchemy import Connection, delete, select

from store import tables
from store.codec import seconds
from store.dialect import upsert

_W = tables.waits


class Waits:
    def __init__(self, db: Connection) -> None:
        self._db = db

    def keep(self, scope: str, wait: timedelta, now: datetime) -> None:
        """`scope`: the platform first, then what it named. Waits that are over are dropped on the way."""
        self._db.execute(delete(_W).where(_W.c.until <= seconds(now)))
        row = {"scope": scope, "until": seconds(now + wait), "asked": wait.total_seconds()}
        upsert(self._db, _W, row, key=("scope",))

    def remaining(self, platform: str, now: datetime) -> dict[str, float]:
        """Seconds that are left of each wait; after a clock was set back, no more than were asked for."""
        mine = _W.c.scope.startswith(f"{platform}:", autoescape=True)
        rows = self._db.execute(select(_W).where(mine, _W.c.until > seconds(now)))
        return {row.scope: min(row.until - seconds(now), row.asked) for row in rows}
