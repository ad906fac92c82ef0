"""Decisions that somebody put off for themselves: out of that person's list until a time."""

from collections.abc import Collection
from datetime import datetime

from sqlalchemy import Column, Double, PrimaryKeyConstraint, String, Table, bindparam, delete, select

from agents.domain.ids import DecisionId, PersonId
from store import tables
from store.codec import seconds
from store.sql import Prepared, TransactionPart, upsert

put_off = Table(
    "put_off",
    tables.metadata,
    Column("decision", String, nullable=False),
    Column("person", String, nullable=False),
    Column("until", Double, nullable=False),
    PrimaryKeyConstraint("decision", "person"),
)
_END = Prepared(delete(put_off).where(put_off.c.decision == bindparam("which")))


class PutOff(TransactionPart):
    def put(self, decision: DecisionId, person: PersonId, until: datetime) -> None:
        upsert(self._db, put_off, {"decision": decision, "person": person, "until": seconds(until)})
        self._touched.add("needs")

    def of(self, people: Collection[PersonId], at: datetime) -> set[DecisionId]:
        """What this person, by all the ids they have had, does not want to see at this time."""
        mine = select(put_off.c.decision).where(put_off.c.person.in_(people), put_off.c.until > seconds(at))
        return {DecisionId(id) for id in self._db.execute(mine).scalars()}

    def end(self, decision: DecisionId) -> None:
        """Everybody is reminded of it, or it is closed."""
        _END.run(self._db, {"which": decision})
