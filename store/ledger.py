"""The decision ledger: a row for each decision, kept equal to the facts about it."""

from sqlalchemy import Connection, bindparam, insert, select, update

from agents.domain import events as e, ledger as domain
from agents.domain.authority import Kind
from agents.domain.decision import Decision, DecisionState
from agents.domain.errors import IllegalMove
from agents.domain.ids import DecisionId, TaskId
from store import tables
from store.codec import Cause, dump_decision, load_decision, seconds
from store.statements import Prepared
from store.timers import Timers

_D = tables.decisions
_ONE = Prepared(select(_D.c.body).where(_D.c.id == bindparam("wanted")))
_OPEN = Prepared(insert(_D))
_CHANGE = Prepared(
    update(_D)
    .where(_D.c.id == bindparam("which"), _D.c.state == DecisionState.OPEN)
    .values(state=bindparam("now"), body=bindparam("text"), delivery=bindparam("because"))
)


class Ledger:
    def __init__(self, db: Connection) -> None:
        self._db = db
        self._timers = Timers(db)

    def find(self, id: DecisionId) -> Decision | None:
        row = _ONE.run(self._db, {"wanted": id}).fetchone()
        return load_decision(row[0]) if row else None

    def questions(self, limit: int = 1000) -> list[Decision]:
        """Open decisions that wait for a person, oldest first; the standing controls do not."""
        waiting = (_D.c.state == DecisionState.OPEN, _D.c.kind != Kind.CONTROLS)
        wanted = select(_D.c.body).where(*waiting).order_by(_D.c.opened_at, _D.c.id)
        return [load_decision(body) for body in self._db.execute(wanted.limit(limit)).scalars()]

    def of_task(self, task: TaskId) -> list[Decision]:
        wanted = select(_D.c.body).where(_D.c.task == task).order_by(_D.c.opened_at, _D.c.id)
        return [load_decision(body) for body in self._db.execute(wanted).scalars()]

    def open(self, decision: Decision) -> None:
        """Called by the log alone, as a fact is appended."""
        row = {
            "id": decision.id,
            "task": decision.task,
            "kind": decision.kind,
            "state": decision.state,
            "body": dump_decision(decision),
            "opened_at": seconds(decision.opened_at),
        }
        _OPEN.run(self._db, row)
        self._timers.set(decision)

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
            "text": dump_decision(changed),
            "because": cause.delivery if by_person else None,
        }
        if _CHANGE.run(self._db, row).rowcount != 1:
            raise IllegalMove(f"decision {changed.id} is no longer open", next_step="Say `status` to see what is.")
        self._timers.set(changed)
        return changed
