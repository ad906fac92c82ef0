"""What one person may see of all there is: asked by the desk for its pages, and by commands for their answers."""

from agents.domain.decisions.authority import Presser
from agents.domain.task.privacy import may_see
from agents.domain.task.task import Task
from bot.permissions import Permissions
from store.books import Books


def sees(viewer: Presser, task: Task, books: Books, permissions: Permissions) -> bool:
    """By the rights they have at this moment. Only a direct message is looked at twice."""
    if not task.request.direct:
        return True
    return may_see(task, viewer, permissions.channel(task.request.channel), books.ledger.of_task(task.id))
