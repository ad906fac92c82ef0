"""Say on the issue what became of the work it asked for. Said before a crash is said."""

from agents.domain.events import Event
from agents.domain.task.issue_comments import Act, telling
from agents.ports import Ports


async def tell_issue(event: Event, ports: Ports) -> None:
    task = await ports.store.task(event.task)
    told, origin = telling(task, event), task.request.origin
    if told and origin:
        ways = {
            Act.TELL: ports.issues.tell,
            Act.BLOCKED: ports.issues.mark_blocked,
            Act.ATTENTION: ports.issues.attention,
        }
        await ways[told.act](told.key, origin.project, origin.number, told.text)
    await ports.store.record(task.id, lambda now, moment: [])
