"""The log of facts: append, load, replay, and a cursor for each reader."""

from collections import OrderedDict
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter
from typing import Any, TypeVar

from sqlalchemy import Connection, Select, bindparam, func, insert, select, update

from agents.domain import events as e
from agents.domain.decisions.authority import Kind
from agents.domain.decisions.decision import Decision, DecisionState
from agents.domain.errors import NoSuchTask, OverlordError
from agents.domain.events import Event
from agents.domain.ids import PersonId, ProjectId, StreamId, TaskId, is_project, project_id
from agents.domain.project.project import Project
from agents.domain.task.task import Task
from agents.domain.task.view import in_thread
from store import tables
from store.codec import BEGINNING, Cause, Recorded, dump, fact_hash, load_event, seconds, split_prose, stream_kind
from store.sql import Prepared, TransactionPart, upsert
from store.streams import failures, notes, projections, proposals, runs, skills
from store.streams.ledger import Ledger

_T, _S, _L, _C = tables.events, tables.snapshots, tables.listings, tables.cursors
SNAPSHOTS = select(_S.c.stream, _S.c.version, _S.c.hash, _S.c.saved, _S.c.body)
_SNAPSHOT = Prepared(SNAPSHOTS.where(_S.c.stream == bindparam("id")))
_APPEND, _APPEND_WORDS, _BEGIN = Prepared(insert(_T)), Prepared(insert(tables.words)), Prepared(insert(_S))
_MOVED = (
    update(_S)
    .where(_S.c.stream == bindparam("id"), _S.c.version == bindparam("was"))
    .values(version=bindparam("now"), hash=bindparam("head"))
)
_MOVE = Prepared(_MOVED)
_SAVE = Prepared(_MOVED.values(body=bindparam("text"), saved=bindparam("now"), ended=bindparam("over")))
_PROSE = tables.words.c.text
_FACTS = select(_T.c.seq, _T.c.version, _T.c.kind, _T.c.body, _PROSE, _T.c.actor, _T.c.delivery, _T.c.hash).outerjoin(
    tables.words, tables.WORDS_OF_FACT
)
_SEEN = select(_C.c.seq).where(_C.c.reader == bindparam("reader")).scalar_subquery()
_SINCE = Prepared(
    select(_T.c.kind, _T.c.body, _PROSE)
    .outerjoin(tables.words, tables.WORDS_OF_FACT)
    .where(_T.c.stream == bindparam("id"), _T.c.version >= bindparam("start"))
    .order_by(_T.c.version)
)
_UNREAD = Prepared(_FACTS.where(_T.c.seq > func.coalesce(_SEEN, 0)).order_by(_T.c.seq).limit(bindparam("most")))

SAVE_EVERY = 8  # facts; the few that came since are replayed on top of what was saved

_ASKED = tuple(kind.__name__ for kind in e.ALL if issubclass(kind, e.OnEitherStream))

# What streams are about, as last decoded, by the hash of their last fact. Only saves decoding: the hash is compared
# each time.
_DECODED: "OrderedDict[str, Task | Project]" = OrderedDict()
_DECODED_MOST = 512
# Facts as last written, by their hash, which is over all there is to them: two readers are about to read them.
_FRESH: "OrderedDict[str, tuple[Event, Cause]]" = OrderedDict()
_FRESH_MOST = 2048
Value = TypeVar("Value")

PAGE = 200  # tasks that are read at a time where all are wanted


@dataclass(frozen=True, slots=True, kw_only=True)
class Which:
    """Tasks that a list is about."""

    search: str = ""
    before: int = 0  # older ones than this number; 0: all
    owners: frozenset[PersonId] | None = None


ANY = Which()


class MovedMeanwhile(OverlordError):
    """Another process moved the task or project first; the transaction is undone and may be tried again."""

    def __init__(self, stream: str) -> None:
        super().__init__(f"{stream} was changed by someone else at the same moment", next_step="Try again.")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Present:
    state: Any  # the Task or the Project
    version: int
    head: str  # hash of the last fact
    saved: int  # the version that is written out


class Log(TransactionPart):
    def __init__(self, db: Connection, touched: set[str]) -> None:
        super().__init__(db, touched)
        self._ledger = Ledger(db, touched)
        self._known: dict[StreamId, _Present] = {}  # as they are now: nobody else writes while this connection does

    def find(self, id: TaskId) -> Task | None:
        """The task as its facts leave it now."""
        now = self._now(id)
        return now.state if now else None

    def project(self, id: ProjectId) -> Project | None:
        """The project as its facts leave it now; None: nothing is recorded about it yet."""
        now = self._now(id)
        return now.state if now else None

    def projects(self) -> list[ProjectId]:
        """That something is recorded about."""
        found = self._db.execute(select(_S.c.stream).where(_S.c.number.is_(None)).order_by(_S.c.stream))
        return [ProjectId(stream) for (stream,) in found if is_project(stream)]

    def project_of(self, task: Task) -> Project | None:
        return self.project(project_id(task.project)) if task.project else None

    def task(self, id: TaskId) -> Task:
        task = self.find(id)
        if task is None:
            raise projections.why_missing(self._db, id)
        return task

    def in_thread(self, id: TaskId) -> Task:
        """The task as its thread shows it: with what its project asks for there."""
        asking = (self.project(project) for project in self._ledger.projects_asking(id))
        return in_thread(self.task(id), [project for project in asking if project])

    def next_id(self) -> TaskId:
        """Numbered inside the transaction that opens the task."""
        return TaskId(f"T-{projections.last_number(self._db) + 1}")

    def open(self, facts: Sequence[Event], cause: Cause) -> Task:
        """Begin a task with its first facts."""
        task: Task = self._begin(facts[0].task, facts[0], cause).state
        projections.list_task(self._db, task)
        return self.append(task.id, facts[1:], cause)

    def append(self, id: TaskId, facts: Sequence[Event], cause: Cause) -> Task:
        """Add facts to a task, and those among them that are about a project to its stream.

        Raises IllegalMove, and the transaction is undone, where one cannot follow.
        """
        self.record(facts, cause)
        return self.task(id)

    def record(self, facts: Sequence[Event], cause: Cause) -> None:
        """Add each fact to the stream it is about, in this order."""
        for stream, following in groupby(facts, key=attrgetter("stream")):
            self._append(stream, list(following), cause)
        self._touched.update(fact.task for fact in facts)

    def _append(self, id: StreamId, facts: Sequence[Event], cause: Cause) -> None:
        before = self._now(id)
        if before is None and is_project(id):
            before, facts = self._begin(id, facts[0], cause), facts[1:]
        if before is None:
            raise NoSuchTask(id)
        state, version, head = before.state, before.version, before.head
        evolve = stream_kind(id).evolve
        for fact in facts:
            self._update_tables(fact, cause, state)
            state = evolve(state, fact)
            head = self._write(fact, version, head, cause)
            version += 1
        if facts and isinstance(state, Task) and skills.write(self._db, state, facts[-1].at):
            self._touched.add("skills")
        if facts:
            self._save(before.version, _Present(state=state, version=version, head=head, saved=before.saved))

    def forget(self) -> None:
        """Something was undone, or others have written: what is known of the tasks may be wrong."""
        self._known.clear()

    def facts(
        self, id: StreamId, *, last: int | None = None, before: int | None = None, kinds: Collection[type[Event]] = ()
    ) -> list[Recorded]:
        """A stream's facts, oldest first; with `last`, only so many of the newest; with `kinds`, only those.

        `before`: only those of earlier versions.
        """
        wanted = _FACTS.where(_T.c.stream == id).order_by(_T.c.version.desc())
        if before is not None:
            wanted = wanted.where(_T.c.version < before)
        if kinds:
            wanted = wanted.where(_T.c.kind.in_(sorted(kind.__name__ for kind in kinds)))
        rows = self._db.execute(wanted.limit(last) if last else wanted)
        return [_to_recorded(row) for row in rows][::-1]

    def facts_in_thread(self, task: Task, *, last: int, before: int | None = None) -> list[Recorded]:
        """A task's facts, as above, and among them those that its project has because of it: what people were asked."""
        facts = self.facts(task.id, last=last, before=before)
        if not facts or not task.project:
            return facts
        next_page = select(_T.c.seq).where(_T.c.stream == task.id, _T.c.version == before).scalar_subquery()
        of_task = _T.c.body.startswith(f'{{"task":"{task.id}",', autoescape=True)
        beside = (_T.c.stream == project_id(task.project), _T.c.kind.in_(_ASKED), of_task, _T.c.seq > facts[0].seq)
        wanted = _FACTS.where(*beside) if before is None else _FACTS.where(*beside, _T.c.seq < next_page)
        rows = self._db.execute(wanted)
        return sorted((*facts, *(_to_recorded(row) for row in rows)), key=lambda fact: fact.seq)

    def unread(self, reader: str, limit: int = 200) -> list[Recorded]:
        """Facts this reader has not been past, oldest first."""
        return [_unread(row) for row in _UNREAD.run(self._db, {"reader": reader, "most": limit}).fetchall()]

    def read_up_to(self, reader: str) -> int:
        return int(self._db.execute(select(_C.c.seq).where(_C.c.reader == reader)).scalar() or 0)

    def first_of(self, kind: type[Event]) -> int:
        """Where the first fact of a kind stands; after the last of all where there is none."""
        first = self._db.execute(select(func.min(_T.c.seq)).where(_T.c.kind == kind.__name__)).scalar()
        return int(first or int(self._db.execute(select(func.max(_T.c.seq))).scalar() or 0) + 1)

    def mark_read(self, reader: str, seq: int) -> None:
        upsert(self._db, _C, {"reader": reader, "seq": seq})

    def tasks(
        self, *, ended: bool, limit: int | None = None, which: Which = ANY, only: Callable[[Task], bool] | None = None
    ) -> list[Task]:
        """The newest tasks, newest first; `only` those that are wanted, which others do not crowd out."""
        step = limit or PAGE
        wanted = _select_tasks(ended, which).order_by(_S.c.number.desc()).limit(step)
        found = list[Task]()
        page = wanted.where(_S.c.number < which.before) if which.before else wanted
        while rows := self._db.execute(page).all():
            seen = [present(self._db, row).state for row in rows]
            found += filter(only, seen)  # None: all of them
            if (limit and len(found) >= limit) or len(rows) < step:
                break
            page = wanted.where(_S.c.number < projections.number_of(seen[-1].id))
        return found[:limit]

    def under_way(self) -> list[tuple[TaskId, bool]]:
        """All that have not ended, newest first, and whether each was asked for in a direct message. Reads no task."""
        wanted = select(_L.c.task, _L.c.direct).join(_S, _S.c.number == _L.c.number)
        rows = self._db.execute(wanted.where(_S.c.ended.is_(False)).order_by(_S.c.number.desc()))
        return [(TaskId(task), direct) for task, direct in rows]

    def words(self, tasks: Collection[TaskId]) -> dict[TaskId, str]:
        """What a search looks through of each of these."""
        wanted = select(_L.c.task, _L.c.words).where(_L.c.task.in_(tasks))
        return {TaskId(task): words for task, words in self._db.execute(wanted)}

    def _update_tables(self, fact: Event, cause: Cause, state: Task | Project | None = None) -> None:
        """What is stored beside the facts follows each of them. `state`: of its stream, before it; None: it begins."""
        if isinstance(state, Task):
            runs.write(self._db, state, fact)
            failures.write(self._db, state, fact)
        notes.write(self._db, fact)
        self._touched.update(_NEWS.get(type(fact), ()))
        match fact:
            case e.DecisionOpened(decision=opened):
                self._ledger.open(opened, self.task(opened.task))
                self._touch_decision(opened)
            case e.AboutDecision():
                self._touch_decision(self._ledger.change(fact, cause))
            case e.WorkEvaluated() if isinstance(state, Task):
                projections.write_evaluation(self._db, state, fact)
            case e.ProjectChosen(project=project) if isinstance(state, Task):
                projections.list_task(self._db, state, project)
            case e.ProposalMade() | e.AboutProposal() | e.TaskRequested() | e.Merged():
                mandate = state.request.mandate if isinstance(state, Task) else None
                if proposals.write(self._db, mandate, fact, cause):
                    self._touched.add("proposals")

    def _touch_decision(self, decision: Decision) -> None:
        self._touched.add("timers")
        if decision.kind not in (Kind.CONTROLS, Kind.REROUTE):
            self._touched.add("needs")
        if decision.kind in (Kind.SECOND, Kind.PROPOSAL) and decision.state is not DecisionState.OPEN:
            self._touched.add("second_tasks")

    def _write(self, fact: Event, version: int, prev: str, cause: Cause) -> str:
        body, prose = split_prose(dump(fact))
        row: dict[str, object] = {
            "stream": fact.stream,
            "version": version,
            "kind": type(fact).__name__,
            "body": body,
            "at": seconds(fact.at),
            "actor": cause.actor,
            "delivery": cause.delivery,
            "prev_hash": prev,
        }
        row["hash"] = head = fact_hash(prev, row, cause)
        _APPEND.run(self._db, row)
        if prose is not None:
            _APPEND_WORDS.run(self._db, {"stream": fact.stream, "version": version, "text": prose})
        _remember(_FRESH, head, (fact, cause), _FRESH_MOST)
        return head

    def _begin(self, id: StreamId, first: Event, cause: Cause) -> _Present:
        state = stream_kind(id).begin(first)
        self._update_tables(first, cause)
        head = self._write(first, 0, BEGINNING, cause)
        row: dict[str, object] = {"stream": id, "version": 1, "hash": head, "saved": 1, "body": dump(state)}
        task = isinstance(state, Task)
        row |= {"number": projections.number_of(TaskId(id)) if task else None, "ended": False if task else None}
        _BEGIN.run(self._db, row)
        self._known[id] = _Present(state=state, version=1, head=head, saved=1)
        self._touch(id, state)
        return self._known[id]

    def _now(self, id: StreamId) -> _Present | None:
        if id not in self._known and (row := _SNAPSHOT.run(self._db, {"id": id}).fetchone()):
            self._known[id] = present(self._db, row)
        return self._known.get(id)

    def _save(self, was: int, now: _Present) -> None:
        state = now.state
        ended = state.has_ended if isinstance(state, Task) else None
        row: dict[str, object] = {"id": state.id, "was": was, "now": now.version, "head": now.head}
        statement = _MOVE
        before = self._known.get(state.id)
        again = before is not None and isinstance(before.state, Task) and before.state.has_ended
        if ended or again or now.version - now.saved >= SAVE_EVERY:
            statement, now = _SAVE, _Present(state=state, version=now.version, head=now.head, saved=now.version)
            row |= {"text": dump(state), "over": ended}
        if statement.run(self._db, row).rowcount != 1:
            raise MovedMeanwhile(state.id)
        if len(self._known) >= _DECODED_MOST:
            self._known.clear()
        self._known[state.id] = now
        _remember(_DECODED, now.head, state, _DECODED_MOST)
        self._touch(state.id, state)

    def _touch(self, id: StreamId, state: Task | Project) -> None:
        self._touched.update(("facts", id, state.request.thread) if isinstance(state, Task) else ("facts", id))


_NEWS: dict[type[Event], tuple[str, ...]] = {e.CommandMeant: ("commands",)}  # what waits for facts of a kind


def _select_tasks(ended: bool, which: Which) -> Select[tuple[Any, ...]]:
    wanted = SNAPSHOTS.where(_S.c.number.is_not(None) if ended else _S.c.ended.is_(False))
    if which.search or which.owners is not None:
        wanted = wanted.join(_L, _L.c.number == _S.c.number)
    if which.owners is not None:
        wanted = wanted.where(_L.c.owner.in_(which.owners))
    return wanted.where(projections.mentions(which.search)) if which.search else wanted


def _to_recorded(row: Sequence[Any]) -> Recorded:
    seq, version, kind, body, prose, actor, delivery, hash = row
    cause = Cause(actor=actor, delivery=delivery)
    return Recorded(seq=seq, version=version, event=load_event(kind, body, prose), cause=cause, hash=hash)


def _unread(row: Sequence[Any]) -> Recorded:
    fresh = _FRESH.get(row[-1])
    if fresh is None:
        return _to_recorded(row)
    return Recorded(seq=row[0], version=row[1], event=fresh[0], cause=fresh[1], hash=row[-1])


def present(db: Connection, row: Sequence[Any]) -> _Present:
    """A task or project as it is now: what was saved of it, and the facts since."""
    id, version, head, saved, body = row
    state = _DECODED.get(head)
    if state is None:
        stream = stream_kind(id)
        state = stream.load(body)
        for kind, fact, prose in _SINCE.run(db, {"id": id, "start": saved}).fetchall() if saved < version else ():
            state = stream.evolve(state, load_event(kind, fact, prose))
        _remember(_DECODED, head, state, _DECODED_MOST)
    return _Present(state=state, version=version, head=head, saved=saved)


def forget_decoded() -> None:
    """What the facts say is not what it was: words were removed."""
    _DECODED.clear()
    _FRESH.clear()


def _remember(cache: "OrderedDict[str, Value]", key: str, value: Value, most: int) -> None:
    cache[key] = value
    while len(cache) > most:
        cache.popitem(last=False)
