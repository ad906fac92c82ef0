"""Checks the database: integrity, hash chains, stored state against the replay of facts, and what is stuck."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar

from sqlalchemy import ColumnElement, Connection, Row, Table, TextClause, func, select

from agents.domain.decisions import decision as ledger
from agents.domain.decisions.decision import Decision
from agents.domain.errors import OverlordError
from agents.domain.events import Event
from agents.domain.ids import DecisionId, ProposalId, StreamId, TaskId, is_project, stream_id
from agents.domain.learning.proposal import Proposal, ProposalStatus, move
from agents.domain.task.task import Task, TaskState
from agents.domain.task.view import Pending, is_stalled
from store import tables
from store.chat.deliveries import PARKED, WAITING
from store.chat.posts import PostState
from store.codec import (
    BEGINNING,
    Cause,
    StreamKind,
    fact_hash,
    is_prose_of,
    load_decision,
    load_event,
    seconds,
    stream_kind,
)
from store.running.jobs import UNFINISHED, JobState
from store.streams import notes, projections, proposals, runs, skills
from store.streams.ledger import WAITS
from store.streams.log import SNAPSHOTS, present

Said = TypeVar("Said")
Rows = list[Row[tuple[object, ...]]]

_E, _S, _D, _L, _W = tables.events, tables.snapshots, tables.decisions, tables.listings, tables.words
_I, _P, _J = tables.deliveries, tables.posts, tables.jobs


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

    broken: tuple[tuple[StreamId, int], ...]  # streams whose chain does not hold, each with where it first breaks
    apart: tuple[str, ...]  # where what is stored beside the facts does not follow from them


Progress = Callable[[int, int], None]  # streams that were looked through, of how many


def examine(db: Connection, tell: Progress = lambda done, all: None) -> Examined:
    """Each fact is read and decoded once."""
    streams = _streams(db)
    broken, apart = list[tuple[StreamId, int]](), list[str]()
    for number, stream in enumerate(streams, 1):
        rows = _rows(db, stream)
        if (where := first_break(rows)) is not None:
            broken.append((stream, where))
        apart += _disagreements(db, stream, rows)
        tell(number, len(streams))
    return Examined(broken=tuple(broken), apart=tuple(apart))


def first_break(rows: Rows) -> int | None:
    prev = BEGINNING
    for number, row in enumerate(rows):
        values = {name: getattr(row, name) for name in ("stream", "version", "kind", "body", "at")}
        same = fact_hash(prev, values, Cause(actor=row.actor, delivery=row.delivery)) == row.hash
        whole = is_prose_of(row.body, row.prose, removed=bool(row.removed))
        if row.version != number or row.prev_hash != prev or not same or not whole:
            return number
        prev = row.hash
    return None


def _disagreements(db: Connection, id: StreamId, rows: Rows) -> Iterator[str]:
    kind = stream_kind(id)
    snapshot = db.execute(select(_S).where(_S.c.stream == id)).one_or_none()
    saved = snapshot.saved if snapshot else 0
    try:
        facts = [load_event(row.kind, row.body, row.prose) for row in rows]
        state, then = _replay(kind, facts, saved)
        decisions, proposed = ledger.replay(facts), proposals.replay(facts)
        judged, ran = projections.replay_evaluations(facts), runs.replay(facts)
    except (LookupError, ValueError, OverlordError) as problem:
        yield f"{id}: its facts tell no story ({type(problem).__name__})"
        return
    beside = (snapshot.version, snapshot.hash, snapshot.ended) if snapshot else None
    expected = (len(rows), rows[-1].hash, state.has_ended if isinstance(state, Task) else None)
    if snapshot is None or beside != expected or then is None or not _says(kind.load, snapshot.body, then):
        yield f"{id}: its snapshot"
    if isinstance(state, Task) and _listed(db, state) != projections.listing_of(state):
        yield f"{id}: its place in the lists"
    if projections.evaluation_rows(db, id) != judged:
        yield f"{id}: its evaluations"
    if runs.rows(db, id) != ran:
        yield f"{id}: its runs"
    yield from _wrong_decisions(db, id, decisions)
    yield from _wrong_proposals(db, id, proposed)
    if isinstance(state, Task) and not skills.agrees(db, state):
        yield f"{id}: its skill"
    if not isinstance(state, Task) and not notes.agrees(db, id, facts):
        yield f"{id}: its notes"


def _listed(db: Connection, task: Task) -> dict[str, object] | None:
    row = db.execute(select(_L).where(_L.c.task == task.id)).one_or_none()
    return dict(row._mapping) if row else None


def _replay(kind: StreamKind[Said], facts: Sequence[Event], saved: int) -> tuple[Said, Said | None]:
    """The task or project as its facts leave it, and as its first `saved` facts did; None: it has not as many."""
    first, *rest = facts
    state = kind.begin(first)
    then = state if saved == 1 else None
    for number, fact in enumerate(rest, 2):
        state = kind.evolve(state, fact)
        then = state if number == saved else then
    return state, then


def _wrong_decisions(db: Connection, id: StreamId, decisions: dict[DecisionId, Decision]) -> Iterator[str]:
    mine = _D.c.stream == id if is_project(id) else (_D.c.stream == id) & (_D.c.task == id)  # which has an index
    stored = {row.id: row for row in db.execute(select(_D).where(mine))}
    if stored.keys() != decisions.keys():
        yield f"{id}: its list of decisions"
        return
    timers = {row.id: row.due for row in db.execute(select(tables.timers).where(tables.timers.c.stream == id))}
    for decision in decisions.values():
        row = stored[decision.id]
        same = row.state == decision.state and _says(load_decision, row.body, decision)
        if not same or not _is_put_right(db, row, decision):
            yield f"{id}: decision {decision.id}"
        if bool(row.delivery) != bool(decision.decided_by):  # who decided did so by a delivery we received
            yield f"{id}: what decided {decision.id}"
        if timers.pop(decision.id, None) != (seconds(decision.due) if decision.due else None):
            yield f"{id}: the timer of {decision.id}"
    if timers:
        yield f"{id}: timers of no decision"


def _is_put_right(db: Connection, row: Row[tuple[object, ...]], decision: Decision) -> bool:
    """What the right to decide it depends on is what the task says in whose thread it is asked."""
    place = db.execute(select(_L.c.owner, _L.c.channel).where(_L.c.task == decision.task)).one_or_none()
    return (row.task, row.put_to) == (decision.task, decision.put_to) and (row.owner, row.channel) == place


def _wrong_proposals(db: Connection, id: StreamId, expected: dict[ProposalId, Proposal]) -> Iterator[str]:
    """None is approved but by a fact, and none is implemented before its own task is done."""
    listed = {each.proposal.id: each for each in proposals.of_stream(db, id)}
    for key, each in listed.items():
        carrier = db.execute(SNAPSHOTS.where(_S.c.stream == each.carried_out_by)).one_or_none()
        done = present(db, carrier).state if carrier else None
        approved = key in expected and expected[key].status is ProposalStatus.APPROVED
        if approved and done and done.state is TaskState.DONE:
            expected[key] = move(expected[key], ProposalStatus.IMPLEMENTED, done.changed_at)
    if {key: each.proposal for key, each in listed.items()} != expected:
        yield f"{id}: its proposals"


def _says(load: Callable[[str], Said], body: str, expected: Said) -> bool:
    try:
        return load(body) == expected
    except ValueError:
        return False


def stalled_tasks(db: Connection) -> list[TaskId]:
    """Tasks that have not ended and that nothing will ever move: there should be none, at any moment."""
    read = select(tables.cursors.c.seq).where(tables.cursors.c.reader == "launcher").scalar_subquery()
    unread = _count_by_stream(db, _E, _E.c.seq > func.coalesce(read, 0))
    jobs = _count_by_stream(db, _J, _J.c.state.in_(UNFINISHED))
    open_tasks = [present(db, row).state for row in db.execute(SNAPSHOTS.where(_S.c.ended.is_(False))).all()]
    return [t.id for t in open_tasks if is_stalled(t, Pending(jobs=jobs.get(t.id, 0), unread=unread.get(t.id, 0)))]


def _count_by_stream(db: Connection, table: Table, which: ColumnElement[bool]) -> dict[str, int]:
    counted = select(table.c.stream, func.count()).where(which).group_by(table.c.stream)
    return {stream: count for stream, count in db.execute(counted)}


def _streams(db: Connection) -> list[StreamId]:
    return [stream_id(found) for found in db.execute(select(_E.c.stream).union(select(_S.c.stream))).scalars()]


def _rows(db: Connection, stream: StreamId) -> Rows:
    prose = (_W.c.text.label("prose"), _W.c.removed)
    wanted = select(_E, *prose).outerjoin(_W, tables.WORDS_OF_FACT).where(_E.c.stream == stream).order_by(_E.c.version)
    return list(db.execute(wanted).all())


def measure(db: Connection, at: datetime) -> dict[str, tuple[str, float]]:
    """Numbers that tell whether anything is stuck: each one's name, what it means, and its value now."""
    unsent = _P.c.wanted != _P.c.shown

    def age(since: ColumnElement[float], *which: ColumnElement[bool] | TextClause) -> float:
        oldest = db.execute(select(func.min(since)).where(*which)).scalar()
        return 0.0 if oldest is None else max(0.0, seconds(at) - oldest)

    def count(table: Table, *which: ColumnElement[bool] | TextClause) -> float:
        return float(db.execute(select(func.count()).select_from(table).where(*which)).scalar() or 0)

    def total(name: str) -> float:
        return float(db.execute(select(tables.totals.c.value).where(tables.totals.c.name == name)).scalar() or 0)

    oldest_post = age(_P.c.wanted_at, unsent, _P.c.state != PostState.PARKED)
    parked_posts = count(_P, unsent, _P.c.state == PostState.PARKED)
    return {
        "overlord_delivery_age_seconds": ("Age of the oldest delivery not settled", age(_I.c.received_at, WAITING)),
        "overlord_post_age_seconds": ("Age of the oldest post not delivered", oldest_post),
        "overlord_parked_posts": ("Posts a platform will never take", parked_posts),
        "overlord_parked_jobs": ("Jobs given up, waiting for a person", count(_J, _J.c.state == JobState.PARKED)),
        "overlord_parked_deliveries": ("Deliveries that could not be read", count(_I, PARKED)),
        "overlord_lease_takeovers": ("Runs of jobs that died and were taken over", total(tables.LEASE_TAKEOVERS)),
        "overlord_model_dollars": ("Spent on models so far", total(tables.MODEL_DOLLARS)),
        "overlord_model_calls": ("Calls made to models so far", total(tables.MODEL_CALLS)),
        "overlord_open_tasks": ("Tasks that have not ended", count(_S, _S.c.ended.is_(False))),
        "overlord_open_decisions": ("Decisions waiting for a person", count(_D, WAITS)),
    }
