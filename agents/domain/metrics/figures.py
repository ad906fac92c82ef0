"""Counts runs and tasks of a while: every figure is of runs that ended well or failed, unless it says otherwise."""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from statistics import median
from typing import TypeVar

from agents.domain.ids import TaskId
from agents.domain.metrics.run_row import Run
from agents.domain.workflow.roles import EngineName

WEIGHT_SUCCESS, WEIGHT_COST = 0.7, 0.3
Key = TypeVar("Key", bound=Hashable)


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """`runs` begun, those of them `judged`, and averages over these. `retry_rate`: retries for each task."""

    runs: int
    judged: int
    well: int
    tasks: int
    retries: int
    success: float | None  # None: nothing was judged
    seconds: float
    cost: float
    tokens: int
    retry_rate: float


@dataclass(frozen=True, slots=True, kw_only=True)
class OfRole:
    role: str
    figures: Figures


@dataclass(frozen=True, slots=True, kw_only=True)
class OfKind:
    """How one engine with one model did at one kind of work. `best` of those that did such work, by their score."""

    kind: str
    engine: EngineName
    model: str
    figures: Figures
    score: float
    best: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class OfWorkflow:
    """`steps`: runs that a task of it took on average. `success`: of its tasks that ended."""

    workflow: str
    tasks: int
    success: float | None
    steps: float
    retry_rate: float


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskEnd:
    """One task that was at work in this while. `hours`: from the request to the merge."""

    task: TaskId
    merged: bool = False
    ended: bool = False
    by_hand: bool = False  # a person wrote some of it: took a subtask or the whole over
    hours: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class OfTasks:
    """`autonomy`: of those merged, how many without a person's own commits. `sent_back`: of minions' judged work."""

    tasks: int
    merged: int
    autonomous: int
    autonomy: float | None
    cycle_hours: float | None  # in the middle
    cost_of_merged: float | None  # dollars, on average
    sent_back: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Day:
    day: date
    runs: int
    judged: int
    well: int
    cost: float
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Metrics:
    since: datetime
    until: datetime
    tasks: OfTasks
    roles: tuple[OfRole, ...]
    kinds: tuple[OfKind, ...]
    workflows: tuple[OfWorkflow, ...]
    days: tuple[Day, ...]


def measure(runs: Iterable[Run], ends: Iterable[TaskEnd], since: datetime, until: datetime) -> Metrics:
    """Of runs that began in this while, and of tasks that were at work in it."""
    wanted = [run for run in runs if since <= run.timestamp <= until]
    tasks = {end.task: end for end in ends}
    return Metrics(
        since=since,
        until=until,
        tasks=_tasks(wanted, tasks.values()),
        roles=tuple(OfRole(role=role, figures=figures(of)) for role, of in _grouped(wanted, lambda run: run.role)),
        kinds=tuple(_kinds(wanted)),
        workflows=tuple(
            _workflow(name, of, [tasks[each] for each in {run.task for run in of} if each in tasks])
            for name, of in _grouped(wanted, lambda run: run.workflow)
            if name
        ),
        days=tuple(_day(day, of) for day, of in _grouped(wanted, lambda run: run.timestamp.date())),
    )


def figures(runs: Sequence[Run]) -> Figures:
    judged = [run for run in runs if run.success is not None]
    well, tasks = sum(run.success is True for run in judged), len({run.task for run in runs})
    retries, count = sum(run.retries > 0 for run in runs), max(1, len(judged))
    return Figures(
        runs=len(runs),
        judged=len(judged),
        well=well,
        tasks=tasks,
        retries=retries,
        success=well / len(judged) if judged else None,
        seconds=sum(run.seconds for run in judged) / count,
        cost=sum(run.cost for run in judged) / count,
        tokens=round(sum(run.tokens_in + run.tokens_out for run in judged) / count),
        retry_rate=retries / max(1, tasks),
    )


def score(of: Figures, dearest: float) -> float:
    """0.7 · success + 0.3 · (1 − cost), where the dearest that it is compared with costs 1."""
    cost = of.cost / dearest if dearest > 0 else 0.0
    return WEIGHT_SUCCESS * (of.success or 0.0) + WEIGHT_COST * (1 - cost)


def _kinds(runs: Sequence[Run]) -> Iterable[OfKind]:
    for kind, of_kind in _grouped(runs, lambda run: run.kind):
        found = {key: figures(of) for key, of in _grouped(of_kind, lambda run: (run.ran_on, run.model_asked))}
        known = {key: each for key, each in found.items() if each.judged}
        dearest = max((each.cost for each in known.values()), default=0.0)
        scores = {key: score(each, dearest) for key, each in known.items()}
        best = max(scores.values(), default=0.0)
        for (engine, model), each in found.items():
            mine = scores.get((engine, model), 0.0)
            marked = len(scores) > 1 and bool(each.judged) and mine == best
            yield OfKind(kind=kind, engine=engine, model=model, figures=each, score=round(mine, 3), best=marked)


def _workflow(name: str, runs: Sequence[Run], ends: Sequence[TaskEnd]) -> OfWorkflow:
    tasks, over = len({run.task for run in runs}), [end for end in ends if end.ended]
    return OfWorkflow(
        workflow=name,
        tasks=tasks,
        success=sum(end.merged for end in over) / len(over) if over else None,
        steps=len(runs) / tasks,
        retry_rate=sum(run.retries > 0 for run in runs) / tasks,
    )


def _tasks(runs: Sequence[Run], ends: Iterable[TaskEnd]) -> OfTasks:
    known = list(ends)
    merged = [end for end in known if end.merged]
    alone = [end for end in merged if not end.by_hand]
    spent = defaultdict[TaskId, float](float)
    for run in runs:
        spent[run.task] += run.cost
    judged = [run for run in runs if run.engine and run.success is not None]
    hours = [end.hours for end in merged if end.hours is not None]
    return OfTasks(
        tasks=len({run.task for run in runs} | {end.task for end in known}),
        merged=len(merged),
        autonomous=len(alone),
        autonomy=len(alone) / len(merged) if merged else None,
        cycle_hours=median(hours) if hours else None,
        cost_of_merged=sum(spent[end.task] for end in merged) / len(merged) if merged else None,
        sent_back=sum(run.success is False for run in judged) / len(judged) if judged else None,
    )


def _day(day: date, runs: Sequence[Run]) -> Day:
    judged = [run for run in runs if run.success is not None]
    return Day(
        day=day,
        runs=len(runs),
        judged=len(judged),
        well=sum(run.success is True for run in judged),
        cost=sum(run.cost for run in runs),
        seconds=sum(run.seconds for run in runs),
    )


def _grouped(runs: Iterable[Run], key: Callable[[Run], Key]) -> list[tuple[Key, list[Run]]]:
    """In the order of their keys."""
    found = defaultdict[Key, list[Run]](list)
    for run in runs:
        found[key(run)].append(run)
    return sorted(found.items(), key=lambda each: str(each[0]))
