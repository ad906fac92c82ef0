"""Tables that follow from the facts of tasks, in their transaction: for lists and searches, and each judgement."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, and_, func, insert, select, true

from agents.domain.checks.evaluation import Evaluation, Score
from agents.domain.errors import NoSuchTask, OverlordError, TaskArchived
from agents.domain.events import DraftOpened, Event, ProjectChosen, PullOpened, WorkEvaluated
from agents.domain.ids import TaskId
from agents.domain.task.task import Task
from store import tables
from store.codec import from_row, moment, seconds
from store.sql import upsert

_L, _V = tables.listings, tables.evaluations
_WORST_FIRST = (Score.FAIL, Score.NEEDS_REVISION, Score.PASS)
_WORDS_MOST = 2_000  # characters of a request that can be searched


def listing_of(task: Task, project: str | None = None) -> dict[str, object]:
    """One small row a task, so that nobody reads whole tasks to find a few. `project`: the one it has from now on."""
    chosen = task.project or "" if project is None else project
    return {
        "number": number_of(task.id),
        "task": task.id,
        "owner": task.request.by,
        "channel": task.request.channel,
        "direct": task.request.direct,
        "words": f"{task.id} {chosen} {task.request.text[:_WORDS_MOST]}".casefold(),
    }


def list_task(db: Connection, task: Task, project: str | None = None) -> None:
    upsert(db, _L, listing_of(task, project))


def number_of(task: TaskId) -> int:
    return int(task.removeprefix("T-"))


def mentions(search: str) -> ColumnElement[bool]:
    """Whether a task's words have each of these words in them."""
    return and_(true(), *(_L.c.words.contains(part, autoescape=True) for part in search.casefold().split()))


def why_missing(db: Connection, task: TaskId) -> OverlordError:
    """What to say to somebody who asks for a task that is not in the database."""
    kept = tables.archived.c.stream
    return TaskArchived(task) if db.execute(select(kept).where(kept == task)).first() else NoSuchTask(task)


def last_number(db: Connection) -> int:
    """The highest that was ever given to a task."""
    numbers = (select(func.max(table.c.number)).scalar_subquery() for table in (tables.snapshots, tables.archived))
    return max(number or 0 for number in db.execute(select(*numbers)).one())


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationResult:
    """One judgement of one attempt. A score is empty where that check did not run, or gave no verdict."""

    task: TaskId
    subtask: int
    judgement: int = 1  # of this attempt; more where a step for the whole judged it again
    pr_number: int
    repo: str
    test_score: str
    lint_score: str
    review_score: str
    overall: str
    feedback: str
    revision_number: int  # 0: the first attempt
    timestamp: datetime


def write_evaluation(db: Connection, task: Task, fact: WorkEvaluated) -> None:
    """An attempt may be judged again: what passed and was joined, by a step for the whole."""
    this = (_V.c.task == fact.task, _V.c.subtask == fact.subtask, _V.c.attempt == fact.attempt)
    before = int(db.execute(select(func.count()).select_from(_V).where(*this)).scalar_one())
    db.execute(insert(_V).values(_evaluation(fact, task.project or "", task.delivery.pull, before + 1)))


def replay_evaluations(facts: Iterable[Event]) -> list[dict[str, Any]]:
    """What the table should hold of a task."""
    found, repo, pull = list[dict[str, Any]](), "", 0
    judged = Counter[tuple[int, int]]()
    for fact in facts:
        match fact:
            case ProjectChosen(project=project):
                repo = project
            case DraftOpened(number=number) | PullOpened(number=number):
                pull = number
            case WorkEvaluated(subtask=subtask, attempt=attempt):
                judged[subtask, attempt] += 1
                found.append(_evaluation(fact, repo, pull, judged[subtask, attempt]))
    return sorted(found, key=lambda row: (row["at"], row["subtask"], row["attempt"], row["judgement"]))


def evaluation_rows(db: Connection, task: str) -> list[dict[str, Any]]:
    return [dict(row) for row in db.execute(_evaluations(task)).mappings()]


def evaluations_of(db: Connection, task: TaskId) -> Sequence[EvaluationResult]:
    return [from_row(EvaluationResult, row, timestamp=moment(row.at)) for row in db.execute(_evaluations(task))]


def _evaluations(task: str) -> Select[Any]:
    return select(_V).where(_V.c.task == task).order_by(_V.c.at, _V.c.subtask, _V.c.attempt, _V.c.judgement)


def _evaluation(fact: WorkEvaluated, repo: str, pull: int, judgement: int) -> dict[str, Any]:
    judged = fact.evaluation
    scores = {gate.name: gate.score.value for gate in reversed(judged.gates)}
    return {
        "task": fact.task,
        "subtask": fact.subtask,
        "attempt": fact.attempt,
        "judgement": judgement,
        "repo": repo,
        "pr_number": pull,
        "commit": judged.commit,
        "test_score": _worst(scores, "tests"),
        "lint_score": _worst(scores, "lint"),
        "review_score": _review(judged),
        "overall": judged.overall,
        "feedback": "\n".join(judged.feedback),
        "revision_number": max(0, fact.attempt - 1),
        "risk": fact.risk,
        "cost": judged.cost,
        "at": seconds(fact.at),
    }


def _worst(scores: Mapping[str, str], check: str) -> str:
    """Of several packages the worst counts; their checks are called such as `tests (web)`."""
    found = {score for name, score in scores.items() if name == check or name.startswith(f"{check} (")}
    return next((score.value for score in _WORST_FIRST if score.value in found), "")


def _review(judged: Evaluation) -> str:
    """The worst of what reviewers say; empty where one gave no verdict."""
    scores = [review.score for review in judged.reviews]
    worst = [score for score in _WORST_FIRST if score in scores]
    return worst[0].value if worst and None not in scores else ""
