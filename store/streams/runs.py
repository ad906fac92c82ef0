"""Every run of a minion, planner or reviewer as a row: made from the facts in their own transaction, so that estimates
and metrics can rest on it."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Select, select

from agents.domain import events as e
from agents.domain.checks.evaluation import CodeReview, Opinion, Score
from agents.domain.events import Event
from agents.domain.fact import Usage
from agents.domain.ids import TaskId
from agents.domain.models.failure import ErrorClass
from agents.domain.planning.decomposition import Decomposition, Level, Subtask
from agents.domain.planning.review import Critic, Custodiet, Review
from agents.domain.task.task import Task
from agents.domain.work.outcome import ERROR_OF_ENDING
from agents.domain.work.work import run_key
from agents.domain.workflow.workflow import DEFAULT, Workflow
from store import tables
from store.codec import from_row, moment, seconds
from store.sql import upsert

_R = tables.runs
PLANNER = "planner"
Row = dict[str, Any]
Key = tuple[str, int, int, str]  # step, subtask, attempt, role


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One run as people and programs are shown it."""

    task: TaskId
    step: str
    subtask: int  # 0: the whole task
    attempt: int
    role: str
    engine: str
    model: str
    task_type: str  # empty: the plan does not say
    workflow: str  # empty: no plan was accepted yet
    success: bool | None  # None: it is under way, or was not judged
    retries: int
    calls: int  # to models
    tokens_in: int
    tokens_out: int
    cached_tokens: int
    cost: float  # dollars
    seconds: float
    error: str
    timestamp: datetime  # when it began

    @property
    def name(self) -> str:
        """Such as "T-1.2-1 implement" or "T-1 plan 2"."""
        if self.subtask:
            return f"{run_key(self.task, self.subtask, self.attempt)} {self.step}"
        return f"{self.task} {self.step.replace('_', ' ')} {self.attempt}"

    @property
    def outcome(self) -> str:
        return {True: "well", False: "failed", None: "not yet"}[self.success]


class Runs:
    """The rows of one task while facts are read."""

    def __init__(
        self, rows: Iterable[Row] = (), workflow: Workflow | None = None, plan: Decomposition | None = None
    ) -> None:
        self.rows: dict[Key, Row] = {_key(row): row for row in rows}
        self.workflow = workflow
        self.plan = plan

    def read(self, fact: Event) -> None:
        if reader := READERS.get(type(fact)):
            reader(self, fact)

    def at(self, fact: Event, step: str, attempt: int, role: str, subtask: int = 0) -> Row:
        """The row of this run; a new one, if this is the first that is said of it."""
        key = (step, subtask, attempt, role)
        if key not in self.rows:
            self.rows[key] = {
                "task": fact.task, "step": step, "subtask": subtask, "attempt": attempt, "role": role,
                "engine": "", "model": "", "task_type": self.task_type(subtask),
                "workflow": self.workflow.name if self.workflow else "",
                "success": None, "retries": max(0, attempt - 1), "calls": 0,
                "tokens_in": 0, "tokens_out": 0, "cached_tokens": 0, "cost": 0.0, "seconds": 0.0,
                "error": "", "at": seconds(fact.at), "since": None,
            }  # fmt: skip
        return self.rows[key]

    def subtask(self, number: int) -> Subtask | None:
        return next((each for each in self.plan.subtasks if each.number == number), None) if self.plan else None

    def task_type(self, subtask: int) -> str:
        """The kind that was approved. Plans of version 1 name none."""
        found = self.subtask(subtask)
        return found.kind.value if found and self.plan and self.plan.version > 1 else ""

    def minion(self, fact: e.AboutWork) -> Row | None:
        """The row of the run that a fact of work is about; None: no minion worked on it."""
        about = (DEFAULT.implement.name, fact.subtask, fact.attempt)
        return next((row for key, row in self.rows.items() if key[:3] == about), None)

    def plans(self) -> list[Row]:
        return [row for key, row in self.rows.items() if key[0] == DEFAULT.plan.name]


def _key(row: Row) -> Key:
    return row["step"], row["subtask"], row["attempt"], row["role"]


def _add(row: Row, used: Usage, *, timed: bool = True) -> None:
    """`timed`: the run took as long as its models."""
    row["model"] = used.model or row["model"]
    for name in ("calls", "tokens_in", "tokens_out", "cached_tokens"):
        row[name] += getattr(used, name)
    row["cost"] = round(row["cost"] + used.cost, 6)
    if timed:
        row["seconds"] = round(row["seconds"] + used.seconds, 3)


def _end(row: Row, success: bool | None, error: str = "") -> None:
    row.update(success=success, error=error)


# ── planning ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def _plan(runs: Runs, fact: e.Measured, success: bool, error: str = "") -> None:
    before = runs.plans()
    last = before[-1] if before else None
    if last and last["success"] is None:  # it was given up, and a person had it tried again
        row = last
    else:
        row = runs.at(fact, DEFAULT.plan.name, len(before) + 1, PLANNER)
        row["retries"] = _failed_in_a_row(before)
    for used in fact.usage:
        _add(row, used)
    _end(row, success, error)


def _failed_in_a_row(rows: Sequence[Row]) -> int:
    return next((count for count, row in enumerate(reversed(rows)) if row["success"]), len(rows))


def _drafted(runs: Runs, fact: e.DecompositionDrafted) -> None:
    runs.plan = fact.plan
    if fact.level is not Level.MINIMAL:  # which code wrote, and no planner
        _plan(runs, fact, success=True)


def _sent_back(runs: Runs, fact: e.DecompositionSentBack) -> None:
    if fact.review is None:
        _plan(runs, fact, success=False, error=ErrorClass.LOGIC)
        return
    _reviewed(runs, fact)
    if plans := runs.plans():
        _end(plans[-1], success=False, error=ErrorClass.LOGIC)


def _escalated(runs: Runs, fact: e.DecompositionEscalated) -> None:
    if fact.review is None:
        _plan(runs, fact, success=False, error=ErrorClass.LOGIC)
    else:
        _reviewed(runs, fact)


def _parked(runs: Runs, fact: e.JobParked) -> None:
    if fact.flow == "decompose":
        error = next((used.error for used in reversed(fact.usage) if used.error), "")
        _plan(runs, fact, success=False, error=error)


def _retried(runs: Runs, fact: e.JobRetried) -> None:
    """The planner goes on where it gave up."""
    if (plans := runs.plans()) and plans[-1]["success"] is False:
        _end(plans[-1], success=None)


_Reviewed = (
    e.DecompositionApproved
    | e.DecompositionBlocked
    | e.DecompositionEscalated
    | e.DecompositionSentBack
    | e.ReviewersDisagreed
)


def _reviewed(runs: Runs, fact: _Reviewed) -> None:
    used = {each.by: each for each in fact.usage}
    for role, success in _verdicts(fact.review) if fact.review else ():
        row = runs.at(fact, DEFAULT.plan_review.name, fact.number, role)
        if role in used:
            _add(row, used[role])
        _end(row, success, "" if success else (used[role].error if role in used else "") or ErrorClass.LOGIC)


def _verdicts(review: Review) -> Iterator[tuple[str, bool]]:
    yield "critic", review.critic.verdict is not Critic.NO_VERDICT
    yield "custodiet", review.custodiet.verdict is not Custodiet.NO_VERDICT
    for advice in review.advice:
        yield advice.specialist, not advice.why_none


def _accepted(runs: Runs, fact: e.PlanAccepted) -> None:
    runs.workflow = fact.workflow or DEFAULT
    for row in runs.rows.values():
        row["workflow"] = runs.workflow.name


# ── work ─────────────────────────────────────────────────────────────────────────────────────────────────────────────


def _started(runs: Runs, fact: e.MinionStarted) -> None:
    """Of a part that a crash cut short nobody knows how long it took."""
    named = runs.subtask(fact.subtask)
    role = (named.role if named else "") or (runs.workflow or DEFAULT).implement.role
    row = runs.minion(fact) or runs.at(fact, DEFAULT.implement.name, fact.attempt, role, fact.subtask)
    row.update(engine=fact.engine, since=seconds(fact.at), success=None, error="")


def _rested(runs: Runs, fact: e.MeasuredWork) -> Row | None:
    """A part of a run is over: it asks, was stopped, gave up or is done. None: it was no minion's."""
    row = runs.minion(fact)
    if row is None or row["since"] is None:
        return None
    row["seconds"] = round(row["seconds"] + max(0.0, seconds(fact.at) - row["since"]), 3)
    row["since"] = None
    for used in fact.usage:
        _add(row, used, timed=False)
    return row


def _gave_up(runs: Runs, fact: e.MinionFailed) -> None:
    if row := _rested(runs, fact):
        said = next((used.error for used in reversed(fact.usage) if used.error), "")
        _end(row, success=False, error=said or ERROR_OF_ENDING[fact.ending])


def _judged(runs: Runs, fact: e.WorkEvaluated) -> None:
    row = runs.minion(fact)
    if row and row["success"] is None:
        passed = fact.evaluation.overall is Score.PASS
        _end(row, passed, "" if passed else ErrorClass.LOGIC)
    told = {(row["subtask"], row["attempt"], row["role"]) for row in runs.rows.values()}
    for review in fact.evaluation.reviews:
        if (fact.subtask, fact.attempt, review.reviewer) not in told:  # facts of steps tell it since there are any
            _read(runs, fact, DEFAULT.review.name, review)


def _checked(runs: Runs, fact: e.StepPassed | e.StepRefused) -> None:
    for review in fact.checked.reviews:
        _read(runs, fact, fact.step, review)


def _read(runs: Runs, fact: e.MeasuredWork, step: str, review: CodeReview) -> None:
    """One reviewer has read the work."""
    used = next((each for each in fact.usage if each.by == review.reviewer), None)
    row = runs.at(fact, step, fact.attempt, review.reviewer, fact.subtask)
    _add(row, used or Usage(by="", model="", calls=0, cost=review.cost))
    said = review.opinion is not Opinion.NO_VERDICT
    _end(row, said, "" if said else (used.error if used else "") or ErrorClass.LOGIC)


READERS: dict[type[Event], Callable[[Runs, Any], object]] = {
    e.DecompositionDrafted: _drafted,
    e.DecompositionSentBack: _sent_back,
    e.DecompositionEscalated: _escalated,
    e.ReviewersDisagreed: _reviewed,
    e.DecompositionApproved: _reviewed,
    e.DecompositionBlocked: _reviewed,
    e.JobParked: _parked,
    e.JobRetried: _retried,
    e.PlanAccepted: _accepted,
    e.MinionStarted: _started,
    e.MinionAsked: _rested,
    e.MinionStopped: _rested,
    e.MinionFailed: _gave_up,
    e.WorkHandedIn: _rested,
    e.StepPassed: _checked,
    e.StepRefused: _checked,
    e.WorkEvaluated: _judged,
}


# ── the table ────────────────────────────────────────────────────────────────────────────────────────────────────────


def write(db: Connection, task: Task, fact: Event) -> None:
    """`task`: before the fact."""
    if type(fact) not in READERS:
        return
    before = rows(db, task.id)
    plan = task.plan
    runs = Runs((dict(row) for row in before), plan.workflow or (DEFAULT if plan.accepted else None), plan.draft)
    runs.read(fact)
    for row in runs.rows.values():
        if row not in before:
            upsert(db, _R, row)


def replay(facts: Iterable[Event]) -> list[Row]:
    """What the table should hold of a task."""
    runs = Runs()
    for fact in facts:
        runs.read(fact)
    return sorted(runs.rows.values(), key=lambda row: (row["at"], *_key(row)))


def rows(db: Connection, task: str) -> list[Row]:
    return [dict(row) for row in db.execute(_ordered(task)).mappings()]


def history(db: Connection, task: TaskId) -> list[Run]:
    return [from_row(Run, row, timestamp=moment(row.at)) for row in db.execute(_ordered(task))]


def _ordered(task: str) -> Select[Any]:
    return select(_R).where(_R.c.task == task).order_by(_R.c.at, _R.c.step, _R.c.subtask, _R.c.attempt, _R.c.role)
