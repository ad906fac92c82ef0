"""Checks the memory against itself: integrity, hash chains, and stored state against the replay of facts."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from sqlalchemy import ColumnElement, Connection, Row, Table, func, select

from agents.domain.decisions import fold as ledger
from agents.domain.decisions.decision import Decision
from agents.domain.errors import OverlordError
from agents.domain.events import Event
from agents.domain.ids import DecisionId, ProposalId, TaskId
from agents.domain.learning.proposal import Proposal, ProposalStatus, moved
from agents.domain.task import task as domain
from agents.domain.task.liveness import Pending, is_stalled
from store import tables
from store.codec import BEGINNING, Cause, load_decision, load_event, load_task, seconds
from store.running.jobs import UNFINISHED
from store.streams import listings, proposals
from store.streams.log import SNAPSHOTS, fact_hash, present

Said = TypeVar("Said")
Rows = list[Row[tuple[object, ...]]]

_E, _S, _D = tables.events, tables.snapshots, tables.decisions


def integrity(db: Connection) -> str:
    """What the database itself finds wrong; empty when nothing is."""
    if db.dialect.name != "sqlite":
        db.execute(select(_E.c.seq).limit(1))
        return ""
    said = str(db.exec_driver_sql("PRAGMA quick_check").scalar())
    return "" if said == "ok" else said


@dataclass(frozen=True, slots=True, kw_only=True)
class Examined:
    """What was found in one pass over all facts."""

    broken: tuple[tuple[TaskId, int], ...]  # tasks whose chain does not hold, each with where it first breaks
    apart: tuple[str, ...]  # where what is stored beside the facts does not follow from them


Progress = Callable[[int, int], None]  # tasks that were looked through, of how many


def examine(db: Connection, tell: Progress = lambda done, all: None) -> Examined:
    """Each fact is read and decoded once."""
    tasks = _tasks(db)
    broken, apart = list[tuple[TaskId, int]](), list[str]()
    for number, task in enumerate(tasks, 1):
        rows = _rows(db, task)
        if (where := first_break(rows)) is not None:
            broken.append((task, where))
        apart += _disagreements(db, task, rows)
        tell(number, len(tasks))
    return Examined(broken=tuple(broken), apart=tuple(apart))


def first_break(rows: Rows) -> int | None:
    prev = BEGINNING
    for number, row in enumerate(rows):
        values = {name: getattr(row, name) for name in ("task", "version", "kind", "body", "at")}
        same = fact_hash(prev, values, Cause(actor=row.actor, delivery=row.delivery)) == row.hash
        if row.version != number or row.prev_hash != prev or not same:
            return number
        prev = row.hash
    return None


def _disagreements(db: Connection, id: TaskId, rows: Rows) -> Iterator[str]:
    snapshot = db.execute(select(_S).where(_S.c.task == id)).one_or_none()
    saved = snapshot.saved if snapshot else 0
    try:
        facts = [load_event(row.kind, row.body) for row in rows]
        task, then = _replayed(facts, saved)
        decisions, proposed = ledger.replay(facts), proposals.replay(facts)
    except (KeyError, ValueError, OverlordError) as problem:
        yield f"{id}: its facts tell no story ({type(problem).__name__})"
        return
    beside = (snapshot.version, snapshot.hash, snapshot.ended) if snapshot else None
    expected = (len(rows), rows[-1].hash, task.ended)
    if snapshot is None or beside != expected or then is None or not _says(load_task, snapshot.body, then):
        yield f"{id}: its snapshot"
    listed = db.execute(select(tables.listings).where(tables.listings.c.task == id)).one_or_none()
    if listed is None or dict(listed._mapping) != listings.row_of(task):
        yield f"{id}: its place in the lists"
    yield from _wrong_decisions(db, task, decisions)
    yield from _wrong_proposals(db, id, proposed)


def _replayed(facts: Sequence[Event], saved: int) -> tuple[domain.Task, domain.Task | None]:
    """The task as its facts leave it, and as its first `saved` facts did; None: it has not as many."""
    first, *rest = facts
    task = domain.begin(first)
    then = task if saved == 1 else None
    for number, fact in enumerate(rest, 2):
        task = domain.evolve(task, fact)
        then = task if number == saved else then
    return task, then


def _wrong_decisions(db: Connection, task: domain.Task, decisions: dict[DecisionId, Decision]) -> Iterator[str]:
    id = task.id
    stored = {row.id: row for row in db.execute(select(_D).where(_D.c.task == id))}
    if stored.keys() != decisions.keys():
        yield f"{id}: its list of decisions"
        return
    timers = {row.id: row.due for row in db.execute(select(tables.timers).where(tables.timers.c.task == id))}
    for decision in decisions.values():
        row = stored[decision.id]
        of_task = (row.put_to, row.owner, row.channel) == (decision.put_to, task.owner, task.channel)
        if not of_task or row.state != decision.state or not _says(load_decision, row.body, decision):
            yield f"{id}: decision {decision.id}"
        if bool(row.delivery) != bool(decision.decided_by):  # who decided did so by a delivery we received
            yield f"{id}: what decided {decision.id}"
        if timers.pop(decision.id, None) != (seconds(decision.due) if decision.due else None):
            yield f"{id}: the timer of {decision.id}"
    if timers:
        yield f"{id}: timers of no decision"


def _wrong_proposals(db: Connection, id: TaskId, expected: dict[ProposalId, Proposal]) -> Iterator[str]:
    """None is approved but by a fact, and none is implemented before its own task is done."""
    listed = {each.proposal.id: each for each in proposals.of_task(db, id)}
    for key, each in listed.items():
        carrier = db.execute(SNAPSHOTS.where(_S.c.task == each.carried_out_by)).one_or_none()
        done = present(db, carrier).task if carrier else None
        approved = key in expected and expected[key].status is ProposalStatus.APPROVED
        if approved and done and done.state is domain.TaskState.DONE:
            expected[key] = moved(expected[key], ProposalStatus.IMPLEMENTED, done.changed_at)
    if {key: each.proposal for key, each in listed.items()} != expected:
        yield f"{id}: its proposals"


def _says(load: Callable[[str], Said], body: str, expected: Said) -> bool:
    try:
        return load(body) == expected
    except ValueError:
        return False


def stalled(db: Connection) -> list[TaskId]:
    """Tasks that have not ended and that nothing will ever move: there should be none, at any moment."""
    read = select(tables.cursors.c.seq).where(tables.cursors.c.reader == "launcher").scalar_subquery()
    unread = _count_by_task(db, _E, _E.c.seq > func.coalesce(read, 0))
    jobs = _count_by_task(db, tables.jobs, tables.jobs.c.state.in_(UNFINISHED))
    open_tasks = [present(db, row).task for row in db.execute(SNAPSHOTS.where(_S.c.ended.is_(False))).all()]
    return [t.id for t in open_tasks if is_stalled(t, Pending(jobs=jobs.get(t.id, 0), unread=unread.get(t.id, 0)))]


def _count_by_task(db: Connection, table: Table, which: ColumnElement[bool]) -> dict[str, int]:
    counted = select(table.c.task, func.count()).where(which).group_by(table.c.task)
    return {task: count for task, count in db.execute(counted)}


def _tasks(db: Connection) -> list[TaskId]:
    return [TaskId(task) for task in db.execute(select(_E.c.task).union(select(_S.c.task))).scalars()]


def _rows(db: Connection, task: TaskId) -> Rows:
    return list(db.execute(select(_E).where(_E.c.task == task).order_by(_E.c.version)).all())
