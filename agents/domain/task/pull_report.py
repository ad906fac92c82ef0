"""What a pull request says of a task."""

from collections.abc import Sequence

from agents.domain.task.task import Task
from agents.domain.text.sanitize import one_line
from agents.domain.work.work import DROPPED


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
