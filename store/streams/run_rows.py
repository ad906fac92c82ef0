"""Rows of runs, read off the facts: whose they are, how they ended and what they took."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from agents.domain import events as e
from agents.domain.checks.evaluation import CodeReview, Opinion, Score
from agents.domain.events import Event
from agents.domain.fact import Usage
from agents.domain.models.failure import ErrorClass
from agents.domain.planning.decomposition import Decomposition, Level, Subtask
from agents.domain.planning.facts import part_in
from agents.domain.planning.review import Critic, Custodiet, Review
from agents.domain.work.outcome import ERROR_OF_ENDING
from agents.domain.workflow.steps import WORKER, Step
from agents.domain.workflow.workflow import DEFAULT, Workflow
from store.codec import seconds

PLANNER = "planner"
SUPERVISE, SUPERVISOR = "supervise", "supervisor"
Row = dict[str, Any]
Key = tuple[str, int, int, str]  # step, subtask, attempt, role


class Runs:
    """The rows of one task while facts are read."""

    def __init__(
        self,
        rows: Iterable[Row] = (),
        workflow: Workflow | None = None,
        plan: Decomposition | None = None,
        workers: Mapping[int, str] = MappingProxyType({}),
    ) -> None:
        self.rows: dict[Key, Row] = {key_of_row(row): row for row in rows}
        self.workflow = workflow
        self.plan = plan
        self.workers = dict(workers)  # by subtask: the step whose minion works on it; empty: the first

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
        return self.of_worker(fact.subtask, fact.attempt)

    def of_worker(self, subtask: int, attempt: int) -> Row | None:
        """Each attempt is one minion's, also where several steps of a workflow work one after the other."""
        steps = {step.name for step in (self.workflow or DEFAULT).steps if step.type == WORKER.name}
        found = (row for key, row in self.rows.items() if key[0] in steps and key[1:3] == (subtask, attempt))
        return next(found, None)

    def worker(self, subtask: int) -> Step:
        workflow = self.workflow or DEFAULT
        named = self.workers.get(subtask)
        return workflow.step(named) if named else workflow.worker(part_in(self.plan, subtask))

    def plans(self) -> list[Row]:
        return [row for key, row in self.rows.items() if key[0] == DEFAULT.plan.name]


def key_of_row(row: Row) -> Key:
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
    runs.workflow, runs.workers = fact.workflow or DEFAULT, {}
    for row in runs.rows.values():
        row["workflow"] = runs.workflow.name


def _skill_drafted(runs: Runs, fact: e.SkillDrafted) -> None:
    """A draft of a skill stands for a plan; what a person wrote is no run."""
    if fact.usage:
        _plan(runs, fact, success=not fact.why, error=fact.usage[-1].error)


def _skill_approved(runs: Runs, fact: e.SkillApproved) -> None:
    runs.plan = fact.plan


def _amended(runs: Runs, fact: e.PlanAmended) -> None:
    runs.plan = fact.plan


def _supervised(runs: Runs, fact: e.SupervisorsReported) -> None:
    """One row a call: those who were called run side by side, in one job."""
    before = sum(key[0] == SUPERVISE for key in runs.rows)
    row = runs.at(fact, SUPERVISE, before + 1, SUPERVISOR)
    row["retries"] = 0
    for used in fact.usage:
        _add(row, used)
    ran = any(not report.skipped for report in fact.reports)
    _end(row, ran, "" if ran else next((used.error for used in fact.usage if used.error), "") or ErrorClass.LOGIC)


# ── work ─────────────────────────────────────────────────────────────────────────────────────────────────────────────


def _started(runs: Runs, fact: e.MinionStarted) -> None:
    """Of a part that a crash cut short nobody knows how long it took."""
    row = runs.minion(fact) or _begun(runs, fact)
    row.update(engine=fact.engine, since=seconds(fact.at), success=None, error="")


def _begun(runs: Runs, fact: e.MinionStarted) -> Row:
    """Under its own step, and as the role that the plan names for it, where the step is the first of its subtasks."""
    step, named = runs.worker(fact.subtask), runs.subtask(fact.subtask)
    first = step.name == (runs.workflow or DEFAULT).implement.name
    role = (named.role if named and first else "") or step.role
    before = sum(key[:2] == (step.name, fact.subtask) for key in runs.rows)
    row = runs.at(fact, step.name, fact.attempt, role, fact.subtask)
    row["retries"] = before
    return row


def _readied(runs: Runs, fact: e.SubtaskReady) -> None:
    """Whose turn it is. What is handed on to the next worker passed all that looked at it."""
    runs.workers[fact.subtask] = fact.step or runs.workers.get(fact.subtask, "")
    before = runs.of_worker(fact.subtask, fact.attempt - 1) if fact.onward else None
    if before and before["success"] is None:
        _end(before, success=True)


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
    row, passed = runs.minion(fact), fact.evaluation.overall is Score.PASS
    if row and (row["success"] is None or (row["success"] and not passed)):  # what passed may be refused as the whole
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
    e.SkillDrafted: _skill_drafted,
    e.SkillApproved: _skill_approved,
    e.PlanAmended: _amended,
    e.SupervisorsReported: _supervised,
    e.SubtaskReady: _readied,
    e.MinionStarted: _started,
    e.MinionAsked: _rested,
    e.MinionStopped: _rested,
    e.MinionFailed: _gave_up,
    e.WorkHandedIn: _rested,
    e.StepPassed: _checked,
    e.StepRefused: _checked,
    e.WorkEvaluated: _judged,
}
