"""What metrics are counted from: the rows of runs of a while, and how the tasks went that they are of."""

from collections import defaultdict
from collections.abc import Collection, Sequence
from datetime import datetime

from sqlalchemy import Connection, case, func, select

from agents.domain.events import Merged, SubtaskTaken, TaskHandedOver, TaskRequested
from agents.domain.ids import TaskId
from agents.domain.metrics.adaptive import WINDOW
from agents.domain.metrics.figures import TaskEnd
from agents.domain.metrics.retry_rate import Retried
from agents.domain.metrics.run_row import REHEARSAL, Run
from store import tables
from store.codec import from_row, moment, seconds
from store.streams.runs import LATELY

_R, _T, _S, _L = tables.runs, tables.events, tables.snapshots, tables.listings
_TELLING = [kind.__name__ for kind in (TaskRequested, Merged, SubtaskTaken, TaskHandedOver)]
_AT_ONCE = 500  # tasks of one query


def runs_between(db: Connection, since: datetime, until: datetime) -> list[Run]:
    """In the order in which they began."""
    within = _R.c.at.between(seconds(since), seconds(until))
    rows = db.execute(select(_R).where(within).order_by(_R.c.at, _R.c.task, _R.c.subtask, _R.c.attempt))
    return [from_row(Run, row, timestamp=moment(row.at)) for row in rows]


def retried_often(db: Connection, task: TaskId, at: datetime) -> dict[str, Retried]:
    """Of the roles that worked on this task, those that needed too many tries: in the last 50 tasks, and 30 days."""
    mine = select(_R.c.role).where(_R.c.task == task).distinct()
    last = select(_L.c.task).order_by(_L.c.number.desc()).limit(LATELY).scalar_subquery()
    lately = (
        _R.c.task.in_(last),
        _R.c.role.in_(mine),
        _R.c.at >= seconds(at - WINDOW),
        _R.c.model.not_like(f"{REHEARSAL}%"),
    )
    judged = func.sum(case((_R.c.success.is_not(None), 1), else_=0))
    again = func.sum(case((_R.c.retries > 0, 1), else_=0))
    counted = select(_R.c.role, func.count(_R.c.task.distinct()), judged, again).where(*lately).group_by(_R.c.role)
    found = {role: Retried(tasks=tasks, judged=of, retries=retries) for role, tasks, of, retries in db.execute(counted)}
    return {role: each for role, each in found.items() if each.is_high}


def task_ends(db: Connection, tasks: Collection[TaskId]) -> list[TaskEnd]:
    """Of those that are kept here. Work that a person took over was not merged without them."""
    wanted = sorted(tasks)
    return [end for at in range(0, len(wanted), _AT_ONCE) for end in _ends(db, wanted[at : at + _AT_ONCE])]


def _ends(db: Connection, tasks: Sequence[TaskId]) -> list[TaskEnd]:
    told: dict[str, dict[str, float]] = defaultdict(dict)
    of_these = (_T.c.stream.in_(tasks), _T.c.kind.in_(_TELLING))
    for stream, kind, at in db.execute(select(_T.c.stream, _T.c.kind, _T.c.at).where(*of_these).order_by(_T.c.seq)):
        told[stream].setdefault(kind, at)
    over = select(_S.c.stream).where(_S.c.stream.in_(tasks), _S.c.ended.is_(True))
    ended = set(db.execute(over).scalars())
    return [_end(TaskId(stream), kinds, stream in ended) for stream, kinds in told.items()]


def _end(task: TaskId, at: dict[str, float], ended: bool) -> TaskEnd:
    asked, merged = at.get(TaskRequested.__name__), at.get(Merged.__name__)
    return TaskEnd(
        task=task,
        merged=merged is not None,
        ended=ended or merged is not None,
        by_hand=SubtaskTaken.__name__ in at or TaskHandedOver.__name__ in at,
        hours=None if asked is None or merged is None else (merged - asked) / 3600,
    )
