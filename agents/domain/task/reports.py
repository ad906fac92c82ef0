"""What is told of a task outside the chat, and how commits are signed. `bot/cards/work/outside.py` has the words."""

from dataclasses import dataclass
from enum import StrEnum

from agents.domain import events as e
from agents.domain.events import Event
from agents.domain.task.task import Task
from agents.domain.work.git_names import GitManners, Signed
from agents.domain.work.surroundings import found_out
from agents.domain.work.work import Ending


def git_manners(task: Task) -> GitManners:
    """As approved with the plan, and where that says nothing as the project itself does."""
    return task.plan.manners.adopt(task.work.style)


def sign(task: Task, text: str) -> Signed:
    """As the commits of this task are signed."""
    return Signed(text=text, signature=git_manners(task).signature(task.work.co_author))


def summary_of(task: Task, number: int) -> str:
    """What whoever worked on a subtask says of it; of the whole only what was done to bring it together. What a spike
    found is all there is of it."""
    work = task.work.on(number)
    if task.plan.is_closing(number) and work.attempt <= 1:
        return ""
    return found_out(task, work) or work.summary


def plan_text(task: Task) -> str:
    """The approved plan, for whoever judges work against it."""
    assert task.plan.draft is not None
    steps = (
        f"{s.number}. {s.title}\n   why: {s.why}\n   files: {', '.join(s.files)}\n   test: {s.test}"
        for s in task.plan.draft.subtasks
    )
    return "\n".join((f"Request: {task.request.text}", f"Goal: {task.plan.draft.goal}", *steps))


class Act(StrEnum):
    TELL = "tell"
    BLOCKED = "blocked"  # and the label goes: putting it back asks again
    ATTENTION = "attention"  # and the label `needs-attention` comes


@dataclass(frozen=True, slots=True, kw_only=True)
class Telling:
    key: str  # the same key is said once, whatever dies in between
    act: Act = Act.TELL


TELLS = (e.PullOpened, e.MinionFailed, e.SubtaskEscalated, e.JobParked, e.TaskCancelled, e.TaskFailed)
PULL_TELLS = (e.TaskCancelled, e.TaskFailed, e.TaskHandedOver)


def on_issue(task: Task, event: Event) -> Telling | None:
    """None: the task came from no issue, or nothing is said of this."""
    origin = task.request.origin
    if origin is None or not isinstance(event, TELLS):
        return None
    what, act = _about(event)
    return Telling(key=f"{origin.key}:{task.id}:{what}", act=act)


def on_pull(task: Task, event: Event) -> Telling | None:
    """On the pull request itself; nothing where there is none, or where opening it says enough."""
    number = task.delivery.pull
    match event:
        case e.PullOpened(head=head) if task.delivery.rounds > 1:
            return Telling(key=f"{task.id}:{number}:round:{head}")
        case e.TaskCancelled() | e.TaskFailed() | e.TaskHandedOver() if number:
            return Telling(key=f"{task.id}:{number}:ended")
        case _:
            return None


def _about(fact: Event) -> tuple[str, Act]:
    """What of the task it is about, and what is done beside saying it."""
    match fact:
        case e.PullOpened(number=number):
            return f"pull:{number}", Act.TELL
        case e.MinionFailed(subtask=subtask, attempt=attempt, ending=ending):
            return f"failed:{subtask}:{attempt}", Act.BLOCKED if ending is Ending.BLOCKED else Act.ATTENTION
        case e.SubtaskEscalated(subtask=subtask, attempt=attempt):
            return f"escalated:{subtask}:{attempt}", Act.ATTENTION
        case e.JobParked(job=job):
            return f"parked:{job}", Act.ATTENTION
        case e.TaskCancelled():
            return "cancelled", Act.BLOCKED
        case e.TaskFailed():
            return "failed", Act.BLOCKED
        case _:
            raise AssertionError(f"{type(fact).__name__} is not told")
