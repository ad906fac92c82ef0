"""The history of judgements as a table: made from the facts in their own transaction, so that it can be counted."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, select

from agents.domain.checks.evaluation import Evaluation, Score
from agents.domain.events import WorkEvaluated
from agents.domain.ids import TaskId
from agents.domain.task.task import Task
from store import tables
from store.codec import moment, seconds
from store.dialect import insert_once

_V = tables.evaluations


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationResult:
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
    judged = fact.evaluation
    row = {
        "task": fact.task,
        "subtask": fact.subtask,
        "attempt": fact.attempt,
        "repo": task.project or "",
        "pr_number": task.pull,
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
    insert_once(db, _V, row)


def history(db: Connection, task: TaskId) -> Sequence[EvaluationResult]:
    wanted = select(_V).where(_V.c.task == task).order_by(_V.c.at, _V.c.subtask, _V.c.attempt)
    return [
        EvaluationResult(
            task=TaskId(row.task),
            subtask=row.subtask,
            pr_number=row.pr_number,
            repo=row.repo,
            test_score=row.test_score,
            lint_score=row.lint_score,
            review_score=row.review_score,
            overall=row.overall,
            feedback=row.feedback,
            revision_number=row.revision_number,
            timestamp=moment(row.at),
        )
        for row in db.execute(wanted)
    ]


def _gate(judged: Evaluation, name: str) -> str:
    return next((gate.score.value for gate in judged.gates if gate.name == name), "")


def _review(judged: Evaluation) -> str:
    """The worst of what reviewers say; empty where one gave no verdict."""
    scores = [review.score for review in judged.reviews]
    worst = [score for score in (Score.FAIL, Score.NEEDS_REVISION, Score.PASS) if score in scores]
    return worst[0].value if worst and None not in scores else ""
