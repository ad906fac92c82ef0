"""The history of judgements as a table: made from the facts in their own transaction, so that it can be counted."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, select

from agents.domain.checks.evaluation import Evaluation, Score
from agents.domain.events import Event, ProjectChosen, PullOpened, WorkEvaluated
from agents.domain.ids import TaskId
from agents.domain.task.task import Task
from store import tables
from store.codec import moment, seconds
from store.dialect import insert_once

_V = tables.evaluations


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationResult:
    """One judgement of one attempt. A score is empty where that check did not run, or gave no verdict."""

    task: TaskId
    subtask: int
    pr_number: int
    repo: str
    test_score: str
    lint_score: str
    review_score: str
    overall: str
    feedback: str
    revision_number: int  # 0: the first attempt
    timestamp: datetime


def write(db: Connection, task: Task, fact: WorkEvaluated) -> None:
    """Once, however often the fact is replayed."""
    insert_once(db, _V, _row(fact, task.project or "", task.delivery.pull))


def replay(facts: Iterable[Event]) -> list[dict[str, Any]]:
    """What the table should hold of a task: the first judgement of each attempt."""
    found, repo, pull = dict[tuple[int, int], dict[str, Any]](), "", 0
    for fact in facts:
        match fact:
            case ProjectChosen(project=project):
                repo = project or ""
            case PullOpened(number=number):
                pull = number
            case WorkEvaluated(subtask=subtask, attempt=attempt):
                found.setdefault((subtask, attempt), _row(fact, repo, pull))
    return sorted(found.values(), key=lambda row: (row["at"], row["subtask"], row["attempt"]))


def _row(fact: WorkEvaluated, repo: str, pull: int) -> dict[str, Any]:
    judged = fact.evaluation
    return {
        "task": fact.task,
        "subtask": fact.subtask,
        "attempt": fact.attempt,
        "repo": repo,
        "pr_number": pull,
        "commit": judged.commit,
        "test_score": _gate(judged, "tests"),
        "lint_score": _gate(judged, "lint"),
        "review_score": _review(judged),
        "overall": judged.overall,
        "feedback": "\n".join(judged.feedback),
        "revision_number": max(0, fact.attempt - 1),
        "risk": fact.risk,
        "cost": judged.cost,
        "at": seconds(fact.at),
    }


def rows(db: Connection, task: str) -> list[dict[str, Any]]:
    wanted = select(_V).where(_V.c.task == task).order_by(_V.c.at, _V.c.subtask, _V.c.attempt)
    return [dict(row) for row in db.execute(wanted).mappings()]


def history(db: Connection, task: TaskId) -> Sequence[EvaluationResult]:
    names = [field.name for field in fields(EvaluationResult) if field.name != "timestamp"]
    return [
        EvaluationResult(timestamp=moment(row["at"]), **{name: row[name] for name in names}) for row in rows(db, task)
    ]


def _gate(judged: Evaluation, name: str) -> str:
    return next((gate.score.value for gate in judged.gates if gate.name == name), "")


def _review(judged: Evaluation) -> str:
    """The worst of what reviewers say; empty where one gave no verdict."""
    scores = [review.score for review in judged.reviews]
    worst = [score for score in (Score.FAIL, Score.NEEDS_REVISION, Score.PASS) if score in scores]
    return worst[0].value if worst and None not in scores else ""
