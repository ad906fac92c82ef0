"""Begin the work on an accepted plan, and go on with it after a stop."""

from collections.abc import Sequence

from agents.domain import dispatching, events as e
from agents.domain.asking import Moment
from agents.domain.branches import branch_for
from agents.domain.errors import OverlordError
from agents.domain.events import Event
from agents.domain.task import Task, evolve
from agents.ports import Ports


async def begin_work(event: Event, ports: Ports) -> None:
    """The task gets a branch of its own; the first subtasks start."""
    task = await ports.store.task(event.task)
    base = await ports.checkouts.tip(task.project or "", "HEAD")
    if not base:
        raise OverlordError(
            f"There is no code to work on for {task.id}: {task.project or 'no project'} has no commit",
            next_step="Name a git repository with a commit under `projects:` in overlord.yaml, then press Retry.",
        )

    def decide(now: Task, moment: Moment) -> Sequence[Event]:
        if not now.in_work or now.branch:
            return []
        branch = branch_for(now.id, now.plan.goal if now.plan else now.request)
        begun = e.WorkBegun(task=now.id, at=moment.at, branch=branch, base=base)
        return [begun, *dispatching.start_next(evolve(now, begun), moment)]

    await ports.store.record(task.id, decide)


async def resume_work(event: Event, ports: Ports) -> None:
    await ports.store.record(event.task, dispatching.resume)


async def tidy(event: Event, ports: Ports) -> None:
    """The task is over: no folder of it stays. A minion that is still at it has been called off."""
    task = await ports.store.task(event.task)
    for work in task.works:
        if work.branch:
            await ports.checkouts.discard(task.project or "", work.branch)
    await ports.store.record(task.id, lambda now, moment: [])
