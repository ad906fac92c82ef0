"""Look at a plan that a person changed by hand beside the project, before it becomes a version."""

from collections.abc import Iterator, Sequence

from agents.domain.decisions.kind import Moment
from agents.domain.events import Event, PlanEdited
from agents.domain.planning import planning
from agents.domain.task.task import Task
from agents.ports import Ports


async def check_edit(event: Event, ports: Ports) -> None:
    assert isinstance(event, PlanEdited)
    seen = await ports.store.task(event.task)
    files = await ports.projects.files(seen.project or "")
    roles = {name: [*_unfit(name, event, ports)] for name in ports.worker_roles()}

    def decide(task: Task, moment: Moment) -> Sequence[Event]:
        if planning.overtaken(seen, task):
            return []
        return planning.after_edit(task, event, files or None, roles, moment)

    await ports.store.record(seen.id, decide)


def _unfit(role: str, event: PlanEdited, ports: Ports) -> Iterator[str]:
    for subtask in event.plan.steps:
        if subtask.role == role and (why := ports.unfit(role, subtask)):
            yield f"Subtask {subtask.number}: {why}"
