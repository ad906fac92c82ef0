"""What stands around a request: what was said before it in its thread, and the tasks that somebody there may mean."""

from agents.domain.decisions.table import questions
from agents.domain.ids import Account, TaskId
from agents.domain.task.task import Task
from agents.domain.text.sanitize import one_line
from agents.ports import Nearby, Surroundings
from store.streams.log import Which
from store.transaction import Transaction

MOST_SAID = 12  # messages
MOST_TASKS = 12
WORDS, TITLE = 500, 160  # characters of a message, and of a request


def surroundings(id: TaskId, tx: Transaction) -> Surroundings:
    """As whoever asked may see it: tasks of the same channel, and their own; what was said in private stays so."""
    task = tx.log.task(id)
    said, _ = tx.messages.in_thread(task.request.thread, Account(""), MOST_SAID)
    words = (
        f"{tx.people.name(person.id) if (person := tx.people.find(Account(each.by))) else each.by}: "
        f"{one_line(each.text, WORDS)}"
        for each in said
        if each.by and each.text
    )
    before = tx.log.find(task.request.follows) if task.request.follows else None
    near = [each for each in tx.log.tasks(ended=False, limit=MOST_TASKS * 3, which=Which()) if _is_near(each, task)]
    around = [*([before] if before else []), *near[:MOST_TASKS]]
    return Surroundings(said=tuple(words), tasks=tuple(map(_told, around)))


def _is_near(other: Task, task: Task) -> bool:
    if other.id == task.id:
        return False
    own = other.request.by == task.request.by
    if other.request.direct:
        return own and task.request.direct
    return own or other.request.channel == task.request.channel


def _told(task: Task) -> Nearby:
    waits = tuple(decision.kind.value for decision in questions(task))
    return Nearby(id=task.id, request=one_line(task.request.text, TITLE), state=task.state.value, waits_for=waits)
