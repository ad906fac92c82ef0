"""Failures that tasks met, written as their facts are: so that what repeats is found without reading old tasks."""

from collections.abc import Sequence

from sqlalchemy import Connection, select

from agents.domain.events import AboutWork, Event, MinionFailed, WorkEvaluated
from agents.domain.ids import TaskId
from agents.domain.learning.signature import Pattern, Signature, of_blocker, of_evaluation
from agents.domain.task.task import Task
from agents.domain.work.stepping import role_of
from agents.domain.work.work import Ending
from store.codec import dump, seconds, shape
from store.failure_table import failures as _F
from store.sql import TransactionPart, upsert

MOST = 20  # other tasks that a pattern names


class Failures(TransactionPart):
    def find_repeated(self, task: Task, fresh: Sequence[Signature] = ()) -> list[Pattern]:
        """What this task met, `fresh` among it, and another task of its project has met before."""
        mine = select(_F.c.signature).where(_F.c.task == task.id)
        known = {each.key: each for each in (shape(Signature).validate_json(row[0]) for row in self._db.execute(mine))}
        known |= {each.key: each for each in fresh}
        found = ((signature, self._others(task, key)) for key, signature in known.items())
        return [Pattern(signature=signature, tasks=(*others, task.id)) for signature, others in found if others]

    def _others(self, task: Task, key: str) -> list[TaskId]:
        same = (_F.c.project == (task.project or ""), _F.c.key == key, _F.c.task != task.id)
        wanted = select(_F.c.task).where(*same).order_by(_F.c.at.desc()).limit(MOST)
        return [TaskId(row[0]) for row in self._db.execute(wanted)][::-1]


def write(db: Connection, task: Task, fact: Event) -> None:
    """Called by the log alone, as a fact is appended."""
    for signature in signatures_of(task, fact):
        row = {"task": task.id, "key": signature.key, "project": task.project or ""}
        upsert(db, _F, {**row, "signature": dump(signature), "at": seconds(fact.at)})


def signatures_of(task: Task, fact: Event) -> Sequence[Signature]:
    if task.plan.rehearsal:
        return []
    match fact:
        case WorkEvaluated(evaluation=judged):
            return of_evaluation(judged, *_who(task, fact))
        case MinionFailed(ending=Ending.BLOCKED, problem=problem):
            return [of_blocker(problem, *_who(task, fact))]
        case _:
            return []


def _who(task: Task, fact: AboutWork) -> tuple[str, str]:
    """The role and the engine of the minion that met it; nothing, of work that the task does not know."""
    known = (work for work in task.work.subtasks if work.number == fact.subtask)
    work = next(known, None)
    return (role_of(task, work), work.engine) if work else ("", "")
