"""When something is due. A timer follows from a decision; it is gone once its decision needs no clock."""

from datetime import datetime

from sqlalchemy import Connection, bindparam, delete, select

from agents.domain.decisions.decision import Decision
from agents.domain.ids import DecisionId, StreamId, stream_id
from store import tables
from store.codec import moment, seconds
from store.dialect import upsert
from store.statements import Prepared

_T = tables.timers
_STOP = Prepared(delete(_T).where(_T.c.id == bindparam("which")))


class Timers:
    def __init__(self, db: Connection) -> None:
        self._db = db

    def set(self, decision: Decision) -> None:
        """Make the clock of a decision what the decision says."""
        if decision.due is None:
            _STOP.run(self._db, {"which": decision.id})
        else:
            row = {"id": decision.id, "stream": decision.stream, "due": seconds(decision.due)}
            upsert(self._db, _T, row, key=("id",))

    def due(self, at: datetime, limit: int = 100) -> list[tuple[DecisionId, StreamId]]:
        wanted = select(_T.c.id, _T.c.stream).where(_T.c.due <= seconds(at)).order_by(_T.c.due).limit(limit)
        return [(DecisionId(row.id), stream_id(row.stream)) for row in self._db.execute(wanted)]

    def next_due(self) -> datetime | None:
        soonest = self._db.execute(select(_T.c.due).order_by(_T.c.due).limit(1)).scalar()
        return None if soonest is None else moment(soonest)
