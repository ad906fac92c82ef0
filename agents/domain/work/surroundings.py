"""What a minion knows of the work around its own: what others do, what they agreed on, and what is settled."""

from collections.abc import Iterator

from agents.domain.planning.decomposition import Subtask
from agents.domain.task.task import Task
from agents.domain.work.work import DROPPED, SubtaskState, Work

FILES = 20  # named of each


def surroundings(task: Task, subtask: Subtask) -> dict[str, object]:
    """For a prompt. Where a plan has one subtask there is nothing around it but what the plan takes for granted."""
    plan = task.plan.draft
    if plan is None:
        return {"goal": "", "others": [], "agreed": [], "assumed": [], "settled": []}
    others = [each for each in plan.steps if each.number != subtask.number]
    return {
        "goal": plan.goal if others else "",
        "others": [_told(task, each, subtask) for each in others],
        "agreed": [line for phase in plan.phases for line in phase.agreements],
        "assumed": [assumed.what for assumed in plan.assumptions],
        "settled": list(_settled(task)),
    }


def _told(task: Task, other: Subtask, mine: Subtask) -> dict[str, object]:
    work = next((work for work in task.work.subtasks if work.number == other.number), None)
    return {
        "number": other.number,
        "title": other.title,
        "files": list(other.files[:FILES]),
        "state": _stands(work),
        "waits": mine.number in other.blocked_by,
    }


def _stands(work: Work | None) -> str:
    """In one word that a template knows."""
    if work is None or work.state is SubtaskState.PENDING:
        return "pending"
    return "dropped" if work.state in DROPPED else "done" if work.state is SubtaskState.DONE else "running"


def _settled(task: Task) -> Iterator[str]:
    """Apart from what people said, which is among the wishes."""
    for work in task.work.subtasks:
        yield from (f"{task.id}.{work.number} asked: {each}" for each in work.settled)


def found_out(task: Task, work: Work) -> str:
    """What a spike found, whole: that is all there is of its work."""
    if not task.plan.subtask(work.number).spike or not (work.summary or work.note):
        return ""
    return "\n".join(dict.fromkeys(part for part in (work.summary, work.note) if part))
