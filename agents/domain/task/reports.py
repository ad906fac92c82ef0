"""What is written of a task outside the chat: in pull requests and commits, and on the issue that it came from."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from agents.domain import events as e
from agents.domain.events import Event
from agents.domain.task.task import Task
from agents.domain.text.sanitize import cut, one_line
from agents.domain.work.work import DROPPED, Ending


def pull_text(task: Task) -> tuple[str, str]:
    """Title and body, from facts."""
    assert task.plan.draft is not None
    title = one_line(f"{task.plan.draft.goal} ({task.id})", 120)
    asked = f"Asked for: {one_line(task.request.text, 300)}"
    where = [f"In: {task.request.origin.url}"] if task.request.origin else []
    lines = [task.plan.draft.goal, "", asked, *where, "", "Subtasks:"]
    lines += [_line(task, work.number) for work in task.work.subtasks if work.state not in DROPPED]
    lines += [_line(task, work.number) + " (dropped)" for work in task.work.subtasks if work.state in DROPPED]
    return title, "\n".join(lines)


def commit_text(task: Task, number: int) -> str:
    """What a commit of one subtask says in the history."""
    plan = task.plan
    assert plan.draft is not None
    return f"{task.id}.{number}: {one_line(plan.subtask(number).title, 80)}\n\nPart of {task.id}: {plan.draft.goal}"


def join_text(task: Task, number: int, asked_by: str, passed_by: Sequence[str]) -> str:
    """What stands in the history where a subtask's work comes in. A name that nobody knows is left out."""
    where = f" in {task.request.origin.url}" if task.request.origin else ""
    passed = ", ".join(one_line(name, 80) for name in passed_by if name)
    lines = (
        f"Asked for by {one_line(asked_by, 80)}{where}" if asked_by else "",
        f"Passed by {passed}" if passed else "",
    )
    return "\n".join((commit_text(task, number), *filter(None, lines)))


def _line(task: Task, number: int) -> str:
    work, subtask = task.work.on(number), task.plan.subtask(number)
    passed = [gate.name for gate in work.evaluation.gates] if work.evaluation else []
    judged = f": {', '.join(passed)} passed" if passed else ""
    return f"- {subtask.title}{judged}"


def plan_text(task: Task) -> str:
    """The approved plan, for whoever judges work against it."""
    assert task.plan.draft is not None
    steps = (
        f"{s.number}. {s.title}\n   why: {s.why}\n   files: {', '.join(s.files)}\n   test: {s.test}"
        for s in task.plan.draft.subtasks
    )
    return "\n".join((f"Request: {task.request.text}", f"Goal: {task.plan.draft.goal}", *steps))


PROBLEM = 1_000


class Act(StrEnum):
    TELL = "tell"
    BLOCKED = "blocked"  # and the label goes: putting it back asks again
    ATTENTION = "attention"  # and the label `needs-attention` comes


@dataclass(frozen=True, slots=True, kw_only=True)
class Telling:
    key: str  # the same key is said once, whatever dies in between
    act: Act
    text: str


def telling(task: Task, event: Event) -> Telling | None:
    """None: the task came from no issue, or nothing is said of this."""
    made = TELLS.get(type(event))
    return made(task, event) if made and task.request.origin else None


def _telling(task: Task, what: str, act: Act, text: str) -> Telling:
    assert task.request.origin is not None
    return Telling(key=f"{task.request.origin.key}:{task.id}:{what}", act=act, text=text)


def _pulled(task: Task, fact: e.PullOpened) -> Telling:
    text = f"{task.id} is done and waits for a person to merge it: {fact.url}"
    return _telling(task, f"pull:{fact.number}", Act.TELL, text)


def _failed(task: Task, fact: e.MinionFailed) -> Telling:
    name, problem = _name(task, fact), cut(fact.problem, PROBLEM)
    what = f"failed:{fact.subtask}:{fact.attempt}"
    if fact.ending is Ending.BLOCKED:
        text = f"{name} cannot be done as it was asked for: {problem}\n\nPut the label back to ask again."
        return _telling(task, what, Act.BLOCKED, text)
    return _telling(task, what, Act.ATTENTION, f"{name} needs a person. {_ENDED.get(fact.ending, '')}{problem}")


def _escalated(task: Task, fact: e.SubtaskEscalated) -> Telling:
    text = f"{_name(task, fact)} needs a person: {cut(fact.why, PROBLEM)}"
    return _telling(task, f"escalated:{fact.subtask}:{fact.attempt}", Act.ATTENTION, text)


def _parked(task: Task, fact: e.JobParked) -> Telling:
    text = (
        f"{task.id} got stuck and needs a person. The card in chat says why."  # a problem of the machine is not public
    )
    return _telling(task, f"parked:{fact.job}", Act.ATTENTION, text)


def _cancelled(task: Task, fact: e.TaskCancelled) -> Telling:
    text = f"{task.id} was cancelled: {cut(fact.reason, PROBLEM)}\n\nPut the label back to ask again."
    return _telling(task, "cancelled", Act.BLOCKED, text)


def _gave_up(task: Task, fact: e.TaskFailed) -> Telling:
    text = f"{task.id} failed: {cut(fact.reason, PROBLEM)}\n\nPut the label back to ask again."
    return _telling(task, "failed", Act.BLOCKED, text)


def _name(task: Task, fact: e.AboutWork) -> str:
    return f"{task.id}.{fact.subtask} ({one_line(task.plan.subtask(fact.subtask).title, 100)})"


_ENDED: dict[Ending, str] = {
    Ending.ERRORS: "Its tools failed again and again. ",
    Ending.TURNS: "It came to the end of its turns. ",
    Ending.TIMEOUT: "It took too long. ",
}

TELLS: dict[type[Event], Callable[[Task, Any], Telling]] = {
    e.PullOpened: _pulled,
    e.MinionFailed: _failed,
    e.SubtaskEscalated: _escalated,
    e.JobParked: _parked,
    e.TaskCancelled: _cancelled,
    e.TaskFailed: _gave_up,
}
