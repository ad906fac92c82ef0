"""Which models and steps failed too often and rest. A model is kept under its name, a step behind `step:`."""

from datetime import datetime
from functools import lru_cache

from sqlalchemy import select

from agents.domain.models.failure import Breaker, BreakerState
from store import tables
from store.codec import moment, seconds, shape
from store.sql import TransactionPart, upsert

_B = tables.breakers
STEP = "step:"


class Breakers(TransactionPart):
    def of(self, name: str) -> Breaker:
        body = self._db.execute(select(_B.c.body).where(_B.c.name == name)).scalar()
        return _load(body) if body else Breaker()

    def put(self, name: str, before: Breaker, after: Breaker) -> None:
        if after != before:
            upsert(self._db, _B, {"name": name, "body": shape(Breaker).dump_json(after).decode()})

    def resting(self, at: datetime) -> list[tuple[str, datetime, str]]:
        """What is not tried now: its name, until when, and what went wrong last."""
        now = seconds(at)
        rows = ((name, _load(body)) for name, body in self._db.execute(select(_B).order_by(_B.c.name)))
        return [
            (name, moment(breaker.rests_until(now)), breaker.problem)
            for name, breaker in rows
            if breaker.state(now) is BreakerState.OPEN
        ]


@lru_cache(maxsize=64)
def _load(body: str) -> Breaker:
    return shape(Breaker).validate_json(body)
