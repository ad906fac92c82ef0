"""Every run of a minion, planner or reviewer as a row: made from the facts in their own transaction, so that estimates
and metrics can rest on it."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Select, func, select

from agents.domain import events as e
from agents.domain.events import Event
from agents.domain.ids import TaskId
from agents.domain.metrics.run_row import REHEARSAL, Run
from agents.domain.planning.work_kind import Took
from agents.domain.task.task import Task
from agents.domain.workflow.workflow import DEFAULT
from store import tables
from store.codec import from_row, moment
from store.sql import upsert
from store.streams.run_rows import READERS, Row, Runs, key_of_row

_R, _L = tables.runs, tables.listings
LATELY = 50  # tasks


def write(db: Connection, task: Task, fact: Event) -> None:
    """`task`: before the fact."""
    silent = isinstance(fact, e.SubtaskReady) and not fact.onward  # whose turn it is, the task knows
    if silent or type(fact) not in READERS:
        return
    before = rows(db, task.id)
    plan = task.plan
    workflow = plan.workflow or (DEFAULT if plan.accepted else None)
    workers = {work.number: work.worker for work in task.work.subtasks}
    runs = Runs((dict(row) for row in before), workflow, plan.draft, workers)
    runs.read(fact)
    for row in runs.rows.values():
        if row not in before:
            upsert(db, _R, row)


def replay(facts: Iterable[Event]) -> list[Row]:
    """What the table should hold of a task."""
    runs = Runs()
    for fact in facts:
        runs.read(fact)
    return sorted(runs.rows.values(), key=lambda row: (row["at"], *key_of_row(row)))


def rows(db: Connection, task: str) -> list[Row]:
    return [dict(row) for row in db.execute(_ordered(task)).mappings()]


def history(db: Connection, task: TaskId) -> list[Run]:
    return [from_row(Run, row, timestamp=moment(row.at)) for row in db.execute(_ordered(task))]


def past_work(db: Connection) -> list[Took]:
    """What each subtask came to that was done in the last tasks; rehearsals cost nothing and tell nothing."""
    lately = select(_L.c.task).order_by(_L.c.number.desc()).limit(LATELY).scalar_subquery()
    found: dict[tuple[str, int], list[Any]] = defaultdict(list)
    for row in db.execute(select(_R).where(_R.c.task.in_(lately), _R.c.subtask > 0)):
        found[row.task, row.subtask].append(row)
    done = (rows for rows in found.values() if _is_done(rows))
    return [Took(cost=sum(row.cost for row in rows), seconds=sum(row.seconds for row in rows)) for rows in done]


@dataclass(frozen=True, slots=True, kw_only=True)
class RoleRecord:
    """What came of the runs of one role."""

    runs: int = 0
    well: int = 0
    failed: int = 0
    cost: float = 0.0
    seconds: float = 0.0


def by_role(db: Connection) -> dict[str, RoleRecord]:
    """Of all tasks that are kept."""
    counted = (func.count(), func.sum(_R.c.cost), func.sum(_R.c.seconds))
    found = dict[str, RoleRecord]()
    for role, success, runs, cost, seconds in db.execute(
        select(_R.c.role, _R.c.success, *counted).group_by(_R.c.role, _R.c.success)
    ):
        before = found.get(role, RoleRecord())
        found[role] = RoleRecord(
            runs=before.runs + runs,
            well=before.well + (runs if success is True else 0),
            failed=before.failed + (runs if success is False else 0),
            cost=before.cost + cost,
            seconds=before.seconds + seconds,
        )
    return found


def _is_done(rows: Sequence[Any]) -> bool:
    """Its last minion's work passed, and a real model did it."""
    real = any(row.calls for row in rows) and not any(row.model.startswith(REHEARSAL) for row in rows)
    return real and max(rows, key=lambda row: (row.attempt, row.at)).success is True


def _ordered(task: str) -> Select[Any]:
    return select(_R).where(_R.c.task == task).order_by(_R.c.at, _R.c.step, _R.c.subtask, _R.c.attempt, _R.c.role)
