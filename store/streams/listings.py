"""What lists and searches of tasks need of each: one small row, so that nobody reads whole tasks to find a few."""

from sqlalchemy import ColumnElement, Connection, bindparam, func, insert, select, update

from agents.domain.errors import NoSuchTask, OverlordError, TaskArchived
from agents.domain.ids import TaskId
from agents.domain.task.task import Task
from store import tables
from store.statements import Prepared

_L = tables.listings
_WORDS_MOST = 2_000  # characters of a request that can be searched
_ADD = Prepared(insert(_L))
_CHANGE = Prepared(update(_L).where(_L.c.task == bindparam("which")).values(words=bindparam("text")))


def row_of(task: Task) -> dict[str, object]:
    return {
        "number": number_of(task.id),
        "task": task.id,
        "owner": task.request.by,
        "channel": task.request.channel,
        "direct": task.request.direct,
        "words": words_of(task.id, task.project or "", task.request.text),
    }


def words_of(task: str, project: str, request: str) -> str:
    """What a search looks through, in one case."""
    return f"{task} {project} {request[:_WORDS_MOST]}".casefold()


def number_of(task: TaskId) -> int:
    return int(task.removeprefix("T-"))


def add(db: Connection, task: Task) -> None:
    _ADD.run(db, row_of(task))


def change_project(db: Connection, task: Task, project: str) -> None:
    _CHANGE.run(db, {"which": task.id, "text": words_of(task.id, project, task.request.text)})


def mentions(search: str) -> ColumnElement[bool]:
    """Whether a task's words have each of these words in them."""
    parts = search.casefold().split()
    found: ColumnElement[bool] = _L.c.number > 0
    for part in parts:
        found &= _L.c.words.contains(part, autoescape=True)
    return found


def why_missing(db: Connection, task: TaskId) -> OverlordError:
    """What to say to somebody who asks for a task that is not in the database."""
    kept = tables.archived.c.stream
    return TaskArchived(task) if db.execute(select(kept).where(kept == task)).first() else NoSuchTask(task)


def last_number(db: Connection) -> int:
    """The highest that was ever given to a task."""
    numbers = (select(func.max(table.c.number)).scalar_subquery() for table in (tables.snapshots, tables.archived))
    return max(number or 0 for number in db.execute(select(*numbers)).one())
