"""The decision ledger: a row for each decision, equal to the facts about it, and a timer while it needs one.

Beside it, who put which decision off for themselves.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import (
    Column,
    ColumnElement,
    Double,
    PrimaryKeyConstraint,
    String,
    Table,
    TextClause,
    bindparam,
    delete,
    func,
    insert,
    select,
    text,
    update,
)

from agents.domain import events as e
from agents.domain.decisions import decision as domain
from agents.domain.decisions.authority import Kind
from agents.domain.decisions.decision import Decision, DecisionState
from agents.domain.decisions.table import rule_name
from agents.domain.errors import IllegalMove
from agents.domain.ids import DecisionId, PersonId, ProjectId, StreamId, TaskId, stream_id
from agents.domain.task.task import Task
from store import tables
from store.codec import Cause, dump, load_decision, moment, seconds
from store.sql import Prepared, TransactionPart, upsert

_D, _L, _T = tables.decisions, tables.listings, tables.timers
# As text, for an index holds just these and few more; standing buttons wait for nobody.
WAITS = text("decisions.state = 'open' AND decisions.kind <> 'controls' AND decisions.kind <> 'reroute'")
_RIGHT = (_D.c.kind, _D.c.put_to, _D.c.owner, _D.c.channel)
_WAITING = Prepared(
    select(_D.c.id, _D.c.task, *_RIGHT, _L.c.direct)
    .join(_L, _L.c.task == _D.c.task)
    .where(WAITS)
    .order_by(_D.c.opened_at, _D.c.id)
)
_COUNTED = Prepared(select(*_RIGHT, func.count()).where(WAITS).group_by(*_RIGHT))
_ONE = Prepared(select(_D.c.body).where(_D.c.id == bindparam("wanted")))
_ASKING = Prepared(
    select(_D.c.stream).distinct().where(_D.c.task == bindparam("thread"), _D.c.stream != _D.c.task, WAITS)
)
_OPEN = Prepared(insert(_D))
_CHANGE = Prepared(
    update(_D)
    .where(_D.c.id == bindparam("which"), _D.c.state == DecisionState.OPEN)
    .values(state=bindparam("now"), body=bindparam("text"), delivery=bindparam("because"))
)
_STOP = Prepared(delete(_T).where(_T.c.id == bindparam("which")))


class Right(NamedTuple):
    """All that a right to decide depends on."""

    rule: str  # the name of the row that it is decided by
    put_to: PersonId
    owner: PersonId  # of its task
    channel: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """What a list needs to know of an open decision before it is read."""

    id: DecisionId
    task: TaskId
    right: Right
    direct: bool


class Ledger(TransactionPart):
    def find(self, id: DecisionId) -> Decision | None:
        row = _ONE.run(self._db, {"wanted": id}).fetchone()
        return load_decision(row[0]) if row else None

    def waiting(self) -> list[Waiting]:
        """Open decisions that wait for a person, oldest first; the standing controls do not."""
        return [
            Waiting(id=DecisionId(id), task=TaskId(task), right=_right(right), direct=bool(direct))
            for id, task, *right, direct in _WAITING.run(self._db, {}).fetchall()
        ]

    def count_waiting(self) -> list[tuple[Right, int]]:
        """How many wait, by the right that they need."""
        return [(_right(right), int(count)) for *right, count in _COUNTED.run(self._db, {}).fetchall()]

    def rights_to(self, ids: Collection[DecisionId]) -> list[Right]:
        """What those of these need that wait."""
        return [_right(row) for row in self._db.execute(select(*_RIGHT).where(WAITS, _D.c.id.in_(ids)))] if ids else []

    def read(self, ids: Sequence[DecisionId]) -> list[Decision]:
        """These decisions, in this order."""
        rows = self._db.execute(select(_D.c.id, _D.c.body).where(_D.c.id.in_(ids)))
        found = {id: body for id, body in rows}
        return [load_decision(found[id]) for id in ids]

    def projects_asking(self, task: TaskId) -> list[ProjectId]:
        """Those that have a decision open in the thread of this task."""
        return [ProjectId(stream) for (stream,) in _ASKING.run(self._db, {"thread": task}).fetchall()]

    def questions_of(self, task: TaskId) -> list[Decision]:
        """Those of one task that wait for a person, oldest first."""
        return self._select(_D.c.task == task, WAITS)

    def made_since(self, kind: Kind, since: datetime) -> list[Decision]:
        """Decisions of a kind that were opened since then and are made."""
        return self._select(_D.c.kind == kind, _D.c.state == DecisionState.DECIDED, _D.c.opened_at >= seconds(since))

    def of_task(self, task: TaskId) -> list[Decision]:
        return self._select(_D.c.task == task)

    def _select(self, *which: ColumnElement[bool] | TextClause) -> list[Decision]:
        wanted = select(_D.c.body).where(*which).order_by(_D.c.opened_at, _D.c.id)
        return [load_decision(body) for body in self._db.execute(wanted).scalars()]

    def open(self, decision: Decision, task: Task) -> None:
        """Called by the log alone, as a fact is appended. `task`: in whose thread it is asked."""
        row = {
            "id": decision.id,
            "task": decision.task,
            "kind": rule_name(decision),
            "state": decision.state,
            "body": dump(decision),
            "opened_at": seconds(decision.opened_at),
            "put_to": decision.put_to,
            "owner": task.request.by,
            "channel": task.request.channel,
            "stream": decision.stream,
        }
        _OPEN.run(self._db, row)
        self._set_timer(decision)

    def change(self, fact: e.AboutDecision, cause: Cause) -> Decision:
        """Called by the log alone. Compare and set: whoever comes second finds nothing open."""
        known = self.find(fact.decision)
        if known is None:
            raise IllegalMove(f"there is no decision {fact.decision}", next_step="Run `overlord doctor`.")
        changed = domain.evolve(known, fact)
        by_person = isinstance(fact, e.DecisionMade) and bool(fact.by)
        row = {
            "which": changed.id,
            "now": changed.state,
            "text": dump(changed),
            "because": cause.delivery if by_person else None,
        }
        if _CHANGE.run(self._db, row).rowcount != 1:
            raise IllegalMove(f"decision {changed.id} is no longer open", next_step="Say `status` to see what is.")
        self._set_timer(changed)
        if changed.state is not DecisionState.OPEN or isinstance(fact, e.DecisionReminded):
            PutOff(self._db, self._touched).end(changed.id)
        return changed

    def _set_timer(self, decision: Decision) -> None:
        """Make the clock of a decision what the decision says; one that needs none has no timer."""
        if decision.due is None:
            _STOP.run(self._db, {"which": decision.id})
        else:
            upsert(self._db, _T, {"id": decision.id, "stream": decision.stream, "due": seconds(decision.due)})

    def due(self, at: datetime, limit: int = 100) -> list[tuple[DecisionId, StreamId]]:
        wanted = select(_T.c.id, _T.c.stream).where(_T.c.due <= seconds(at)).order_by(_T.c.due).limit(limit)
        return [(DecisionId(row.id), stream_id(row.stream)) for row in self._db.execute(wanted)]

    def next_due(self) -> datetime | None:
        soonest = self._db.execute(select(func.min(_T.c.due))).scalar()
        return None if soonest is None else moment(soonest)


def _right(row: Sequence[str]) -> Right:
    rule, put_to, owner, channel = row
    return Right(rule, PersonId(put_to), PersonId(owner), channel)


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
