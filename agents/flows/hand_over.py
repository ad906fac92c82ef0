"""A person goes on: what there is goes to where they work."""

from collections.abc import Sequence

from agents.domain import events as e
from agents.domain.decisions.kind import Moment
from agents.domain.events import Event
from agents.domain.task.task import Task
from agents.domain.work import dispatching
from agents.domain.work.runs import about_run
from agents.domain.work.work import SubtaskState
from agents.ports import ForgeFailed, Ports

SPOILT = "A commit of it holds what looks like a secret, so it stays here. The kept patch is without it."


async def publish_branch(event: Event, ports: Ports) -> None:
    """A subtask was taken over: its branch goes to where that person works."""
    assert isinstance(event, e.SubtaskTaken)
    task = await ports.store.task(event.task)
    branch = dispatching.persons_branch(task, task.work.on(event.subtask))
    how, problem = await _brought(task, branch, ports)

    def decide(now: Task, moment: Moment) -> Sequence[Event]:
        work = now.work.on(event.subtask)
        if not now.in_work or work.state is not SubtaskState.NEEDS_HUMAN:
            return []
        return [e.BranchPublished(**about_run(now, work, moment.at), branch=branch, how=how, problem=problem)]

    await ports.store.record(task.id, decide)


async def keep_work(event: Event, ports: Ports) -> None:
    """A person takes what there is: the branches where they work, and all of it as one patch."""
    task = await ports.store.task(event.task)
    project = task.project or ""
    branches = [branch for branch in (task.work.branch, *(work.branch for work in task.work.subtasks)) if branch]
    there = {branch: await ports.checkouts.tip(project, branch) for branch in branches}
    parts = [await ports.checkouts.patch(project, task.work.base, tip) for tip in there.values() if tip]
    name = await ports.artefacts.keep(f"{task.id}.patch", "\n".join(part for part in parts if part))
    kept = tuple(branch for branch, tip in there.items() if tip)
    outcomes = [await _brought(task, branch, ports) for branch in kept]
    for branch in branches:
        await ports.checkouts.discard(project, branch)

    def decide(now: Task, moment: Moment) -> Sequence[Event]:
        how = tuple(how for how, _ in outcomes if how)
        problems = tuple(problem for _, problem in outcomes if problem)
        return [e.WorkKept(task=now.id, at=moment.at, branches=kept, patch=name, how=how, problems=problems)]

    await ports.store.record(task.id, decide)


async def _brought(task: Task, branch: str, ports: Ports) -> tuple[str, str]:
    """What to type to be on it, or why it could not be brought there."""
    project = task.project or ""
    if any(work.spoilt and dispatching.persons_branch(task, work) == branch for work in task.work.subtasks):
        return "", f"{branch}: {SPOILT}"
    try:
        return await ports.forge.publish(project, branch, await ports.checkouts.tip(project, branch)), ""
    except ForgeFailed as failed:
        return "", f"{branch}: {failed.what}. {failed.next_step}"
