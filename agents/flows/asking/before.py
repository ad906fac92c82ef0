"""What came before a request: the task that it follows, and questions that were answered in its thread."""

from collections.abc import Sequence

from agents.domain import events as e
from agents.domain.decisions.kind import Moment
from agents.domain.errors import OverlordError
from agents.domain.events import Event
from agents.domain.ids import TaskId
from agents.domain.task.task import Task
from agents.domain.text.sanitize import cut
from agents.ports import Ports

DIFF = 12_000  # characters of what a finished task changed
MOST_WORDS = 600  # of one wish


async def tell_before(task: Task, ports: Ports) -> dict[str, object]:
    """For a prompt: nothing, where nothing came before."""
    answers = [
        {"question": each.text, "answer": each.answer, "places": [f"{p.path}:{p.line}" for p in each.evidence]}
        for each in task.talk.inquiries
        if each.answer
    ]
    return {"answers": answers, "follows": await _tell_record(task.request.follows, ports)}


async def _tell_record(id: TaskId | None, ports: Ports) -> dict[str, object]:
    """Of an ended task: what was asked for and planned, what people said, what became of it, and what it changed."""
    try:
        before = await ports.store.task(id) if id else None
    except OverlordError:  # it was archived
        before = None
    if before is None:
        return {}
    plan, delivery = before.plan.draft, before.delivery
    return {
        "task": str(before.id),
        "state": before.state.value,
        "request": before.request.text,
        "goal": plan.goal if plan else "",
        "steps": [f"{s.number}. {s.title}: {s.why}" for s in plan.steps] if plan else [],
        "said": [cut(f"{wish.source.replace('_', ' ')}: {wish.words}", MOST_WORDS) for wish in before.wishes],
        "notes": [work.note for work in before.work.subtasks if work.note],
        "merged": f"pull request {delivery.pull} into {delivery.merged_into}" if delivery.merged_into else "",
        "diff": cut(await ports.artefacts.read(f"{before.id}.diff") or "", DIFF),
    }


async def link_to_earlier(task: Task, ports: Ports) -> None:
    """On the ended task, once: it has a follow-up. Before the follow-up goes on, so that no crash loses the link."""
    before = task.request.follows
    if before is None:
        return

    def record(earlier: Task, moment: Moment) -> Sequence[Event]:
        if task.id in earlier.followed_by:
            return []
        return [e.FollowUpOpened(task=earlier.id, at=moment.at, by=task.request.by, follow_up=task.id)]

    try:
        await ports.store.note(before, record)
    except OverlordError:  # it was archived since
        return
