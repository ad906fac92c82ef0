"""What a pull request says of a task."""

from collections.abc import Sequence

from agents.domain.task.task import Task
from agents.domain.text.sanitize import one_line
from agents.domain.work.work import DROPPED


def pull_text(task: Task) -> tuple[str, str]:
    """Title and body, from facts."""
    assert task.plan is not None
    title = one_line(f"{task.plan.goal} ({task.id})", 120)
    asked = f"Asked for: {one_line(task.request, 300)}"
    where = [f"In: {task.origin.url}"] if task.origin else []
    lines = [task.plan.goal, "", asked, *where, "", "Subtasks:"]
    lines += [_line(task, work.number) for work in task.works if work.state not in DROPPED]
    lines += [_line(task, work.number) + " (dropped)" for work in task.works if work.state in DROPPED]
    return title, "\n".join(lines)


def commit_text(task: Task, number: int) -> str:
    """What a commit of one subtask says in the history."""
    assert task.plan is not None
    return f"{task.id}.{number}: {one_line(task.subtask(number).title, 80)}\n\nPart of {task.id}: {task.plan.goal}"


def join_text(task: Task, number: int, asked_by: str, passed_by: Sequence[str]) -> str:
    """What stands in the history where a subtask's work comes in. A name that nobody knows is left out."""
    where = f" in {task.origin.url}" if task.origin else ""
    passed = ", ".join(one_line(name, 80) for name in passed_by if name)
    lines = (
        f"Asked for by {one_line(asked_by, 80)}{where}" if asked_by else "",
        f"Passed by {passed}" if passed else "",
    )
    return "\n".join((commit_text(task, number), *filter(None, lines)))


def _line(task: Task, number: int) -> str:
    work, subtask = task.work(number), task.subtask(number)
    passed = [gate.name for gate in work.evaluation.gates] if work.evaluation else []
    judged = f": {', '.join(passed)} passed" if passed else ""
    return f"- {subtask.title}{judged}"


def plan_text(task: Task) -> str:
    """The approved plan, for whoever judges work against it."""
    assert task.plan is not None
    steps = (
        f"{s.number}. {s.title}\n   why: {s.why}\n   files: {', '.join(s.files)}\n   test: {s.test}"
        for s in task.plan.subtasks
    )
    return "\n".join((f"Request: {task.request}", f"Goal: {task.plan.goal}", *steps))
