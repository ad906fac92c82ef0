"""What a project remembers of supervision, read by a flow."""

from agents.domain.decisions.kind import Facts, Moment
from agents.domain.supervision.facts import Supervision
from agents.domain.task.task import Task
from agents.ports import Ports


async def look_up(task: Task, ports: Ports) -> Supervision:
    found = Supervision()

    def look(now: Task, moment: Moment) -> Facts:
        nonlocal found
        found = moment.watching(now).state
        return []

    await ports.store.note(task.id, look)
    return found
