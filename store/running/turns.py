"""Transcripts of minions: a row a turn, appended before the next one is begun."""

import json
from collections.abc import Mapping, Sequence

from sqlalchemy import bindparam, select

from agents.domain.errors import StaleLease
from agents.ports import Clock
from store import tables
from store.codec import seconds
from store.database import Database
from store.dialect import insert_once
from store.statements import Prepared
from store.transaction import Transaction

_T = tables.turns
_ALL = Prepared(select(_T.c.body).where(_T.c.run == bindparam("which")).order_by(_T.c.number))
_ONE = Prepared(select(_T.c.body).where(_T.c.run == bindparam("which"), _T.c.number == bindparam("place")))


class TurnLog:
    """Implements agents.ports.Turns."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def of(self, run: str) -> Sequence[Mapping[str, object]]:
        rows = await self._database.read(lambda tx: _ALL.run(tx.db, {"which": run}).fetchall())
        return [json.loads(body) for (body,) in rows]

    async def add(self, run: str, number: int, turn: Mapping[str, object]) -> None:
        """Once. Where somebody else has written this turn, they drive the run now: raises StaleLease."""
        body = json.dumps(turn)  # in ASCII: a minion's text must not break the store
        row = {"run": run, "number": number, "body": body, "at": seconds(self._clock.now())}

        def transaction(tx: Transaction) -> bool:
            if insert_once(tx.db, _T, row):
                return True
            found = _ONE.run(tx.db, {"which": run, "place": number}).fetchone()
            return found is not None and found[0] == body

        if not await self._database.insist(transaction):
            raise StaleLease(run)
