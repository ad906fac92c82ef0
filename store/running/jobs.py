"""Jobs that facts ask for, each run under a lease with a fence."""

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from sqlalchemy import Row, Update, bindparam, delete, func, not_, or_, select, update

from agents.domain.errors import StaleLease
from agents.domain.events import Event, JobRetried
from agents.domain.ids import PersonId, StreamId, TaskId, derive_id, stream_id
from agents.domain.limits import Limits
from agents.domain.work.work import QueuePause
from store import tables
from store.codec import Recorded, from_row, load_event, moment, seconds
from store.running.leases import Lease, LeaseStatements, lease_parameters
from store.sql import Prepared, TransactionPart, insert_each_once, upsert

_J, _E = tables.jobs, tables.events


class JobState(StrEnum):
    WAITING = "waiting"
    LEASED = "leased"
    DONE = "done"
    PARKED = "parked"


UNFINISHED = (JobState.WAITING, JobState.LEASED)


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    id: str
    seq: int  # of the fact that asked for it
    stream: StreamId
    flow: str
    event: Event
    fence: int
    attempts: int
    problem: str

    @property
    def is_persons_retry(self) -> bool:
        """A person had it tried again, and it has not failed since."""
        return self.attempts == 0 and bool(self.problem)

    @property
    def task(self) -> TaskId:
        """That the fact is about, or that gave rise to it."""
        return self.event.task


_ANY = Prepared(select(_J.c.id).where(_J.c.state.in_(UNFINISHED)).limit(1))
_HELD = _J.c.state == JobState.LEASED
_LEASES = LeaseStatements(_J, held=_HELD, waits=_J.c.state == JobState.WAITING)
_MINE = update(_J).where(_LEASES.mine)
_DONE, _HOLD = _MINE.values(state=JobState.DONE), _MINE.values(state=JobState.LEASED)
_RENEW = _MINE.values(lease_until=bindparam("until"))
_POSTPONE = _MINE.values(state=JobState.WAITING, not_before=bindparam("later"))
_RELEASE = _MINE.values(state=JobState.WAITING, not_before=0.0)
LONGEST_QUEUE = 200  # jobs of lanes that are looked at in one go
LONGEST_WAIT = 60.0  # seconds until a job that failed is tried again, at most
_CLAIMABLE = (
    select(_J, _E.c.kind, _E.c.body, tables.words.c.text.label("prose"))
    .join(_E, _E.c.seq == _J.c.seq)
    .outerjoin(tables.words, tables.WORDS_OF_FACT)
    .where(or_((_J.c.state == JobState.WAITING) & (_J.c.not_before <= bindparam("now")), _LEASES.free))
    .order_by(_J.c.seq)
    .limit(bindparam("most"))
)
_SHORT, _LONG = _CLAIMABLE.where(_J.c.lane == ""), _CLAIMABLE.where(_J.c.lane != "")
_BEGUN = _LONG.where(_J.c.fence > 0)  # somebody held it once
_QUEUE = "long"  # the one that can be paused
_PAUSE = Prepared(select(tables.pauses.c.by, tables.pauses.c.at).where(tables.pauses.c.queue == _QUEUE))
_BUSY = select(_J.c.lane).where(_HELD, _J.c.lane != "", not_(_LEASES.free))
_BEGINS_LATE = (
    update(_J)
    .where(_J.c.state == JobState.WAITING, _J.c.not_before > bindparam("latest"))
    .values(not_before=bindparam("instead"))
)


class Jobs(TransactionPart):
    def ask(self, *asked: tuple[Recorded, str, str]) -> None:
        """Facts ask for flows to run, each in a lane, at once whatever the clock does. The same fact asks once."""
        rows = [
            {
                "id": derive_id("job", str(recorded.seq), flow),
                "seq": recorded.seq,
                "stream": recorded.event.stream,
                "flow": flow,
                "state": str(JobState.WAITING),
                "not_before": 0.0,
                "lane": lane,
            }
            for recorded, flow, lane in asked
        ]
        if insert_each_once(self._db, _J, rows):
            self._touched.add("jobs")

    def again(self, id: str) -> None:
        """A parked job gets a fresh start."""
        fresh = {"state": JobState.WAITING, "attempts": 0, "not_before": 0.0}
        self._db.execute(update(_J).where(_J.c.id == id, _J.c.state == JobState.PARKED).values(**fresh))
        self._touched.add("jobs")

    def claim(self, lease: Lease, limits: Limits, most: int) -> list[Job]:
        """Take jobs that wait, or whose holder is gone. A holder that died counts as an attempt.

        What people wait for goes first; then the long ones, as far as their lanes have room.
        """
        if not self.any_unfinished():
            return []
        rows = list(self._db.execute(_SHORT, lease_parameters(lease, most=most)).all())
        rows += self._with_room(lease, limits, most - len(rows))
        taken = [self._take(row, lease) for row in rows]
        if not taken:
            self._mend(seconds(lease.at), limits)
        return taken

    def _with_room(self, lease: Lease, limits: Limits, most: int) -> list[Row[tuple[object, ...]]]:
        """Jobs whose lanes have room: so many a project, and so many in all."""
        long = _BEGUN if self.current_pause() else _LONG
        waiting = self._db.execute(long, lease_parameters(lease, most=LONGEST_QUEUE)).all()
        if not waiting:
            return []
        busy = Counter(self._db.execute(_BUSY, lease_parameters(lease)).scalars())
        chosen: list[Row[tuple[object, ...]]] = []
        for row in waiting:
            if len(chosen) < most and busy.total() < limits.minions and busy[row.lane] < limits.minions_per_project:
                busy[row.lane] += 1
                chosen.append(row)
        return chosen

    def pause(self, by: PersonId, delivery: str, at: datetime) -> bool:
        """Give nothing new to minions and gates until it is resumed. False: it is paused already."""
        self._touched.add("queue")
        row = {"queue": _QUEUE, "by": by, "delivery": delivery, "at": seconds(at)}
        return insert_each_once(self._db, tables.pauses, [row]) == 1

    def resume(self) -> bool:
        """False: it is not paused."""
        self._touched.update(("jobs", "queue"))
        return self._db.execute(delete(tables.pauses).where(tables.pauses.c.queue == _QUEUE)).rowcount == 1

    def current_pause(self) -> QueuePause | None:
        row = _PAUSE.run(self._db, {}).fetchone()
        return QueuePause(by=row[0], at=moment(row[1])) if row else None

    def waiting_tasks(self) -> list[TaskId]:
        """Tasks for which something waits for its turn with minions and gates, oldest first."""
        wanted = select(_J.c.stream).where(_J.c.state == JobState.WAITING, _J.c.lane != "", _J.c.fence == 0)
        return [TaskId(stream) for stream in dict.fromkeys(self._db.execute(wanted.order_by(_J.c.seq)).scalars())]

    def renew(self, id: str, fence: int, until: datetime) -> bool:
        return self._change(id, fence, _RENEW, until=seconds(until))

    def finish(self, id: str, fence: int) -> None:
        """End a job in the transaction that records what it did. A zombie's end matches no row."""
        if not self._change(id, fence, _DONE):
            raise StaleLease(id)

    def hold(self, id: str, fence: int) -> None:
        """Make sure that nobody else holds it, until this transaction ends."""
        if not self._change(id, fence, _HOLD):
            raise StaleLease(id)

    def postpone(self, id: str, fence: int, until: datetime) -> None:
        """It has nothing to do before that, which is no failure: it is not counted."""
        if not self._change(id, fence, _POSTPONE, later=seconds(until)):
            raise StaleLease(id)

    def put_back(self, job: Job, problem: str, not_before: datetime) -> None:
        """It failed and may be tried again later."""
        later = {"state": JobState.WAITING, "not_before": seconds(not_before)}
        self._change(job.id, job.fence, _MINE.values(problem=problem, attempts=job.attempts + 1, **later))
        upsert(self._db, tables.totals, {"name": tables.LEASE_TAKEOVERS, "value": 1}, add=True)

    def park(self, job: Job, problem: str) -> bool:
        return self._change(job.id, job.fence, _MINE.values(state=JobState.PARKED, problem=problem))

    def release(self, jobs: Iterable[Job]) -> None:
        """They were stopped through no fault of their own: they may run again at once, and that is no attempt."""
        for job in jobs:
            self._change(job.id, job.fence, _RELEASE)

    def _change(self, id: str, fence: int, change: Update, **values: object) -> bool:
        """False: it is not held under this fence any more."""
        return self._db.execute(change, {"which": id, "held": fence, **values}).rowcount == 1

    def steps(self, job: Job, facts: Collection[type[Event]]) -> int:
        """How many of these facts its task has had, up to the job's own, since a person last let it go on."""
        let = select(func.max(_E.c.seq)).where(_E.c.stream == job.stream, _E.c.kind == JobRetried.__name__)
        kinds = [fact.__name__ for fact in facts]
        counted = select(func.count()).where(_E.c.stream == job.stream, _E.c.kind.in_(kinds), _E.c.seq <= job.seq)
        return int(self._db.scalar(counted.where(_E.c.seq > func.coalesce(let.scalar_subquery(), 0))) or 0)

    def any_unfinished(self) -> bool:
        return _ANY.run(self._db, {}).fetchone() is not None

    def lease_owners(self) -> set[str]:
        return _LEASES.owners(self._db)

    def next_try(self, after: datetime) -> datetime | None:
        """When a job that was put back, or whose lease runs, may next be looked at."""
        return _LEASES.next(self._db, after) if self.any_unfinished() else None

    def _mend(self, now: float, limits: Limits) -> None:
        """The clock was set back: what ends or starts impossibly late gets one lease's time, or starts now."""
        _LEASES.shorten(self._db, now, limits, limits.job_lease)
        self._db.execute(_BEGINS_LATE, {"latest": now + LONGEST_WAIT + 1, "instead": now})

    def _take(self, row: Row[tuple[object, ...]], lease: Lease) -> Job:
        died = row.state == JobState.LEASED and row.lease_owner != lease.owner
        if died:
            upsert(self._db, tables.totals, {"name": tables.LEASE_TAKEOVERS, "value": 1}, add=True)
        attempts = row.attempts + died
        return from_row(
            Job,
            row,
            stream=stream_id(row.stream),
            event=load_event(row.kind, row.body, row.prose),
            fence=_LEASES.take(self._db, row, lease, state=JobState.LEASED, attempts=attempts),
            attempts=attempts,
            problem="the program died while it ran" if died else row.problem,
        )
