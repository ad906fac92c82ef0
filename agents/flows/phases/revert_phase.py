"""Take back what a phase brought onto the task's branch, and remove folders that nobody goes on with."""

from collections.abc import Sequence

from agents.domain import events as e
from agents.domain.decisions.kind import Moment
from agents.domain.events import Event
from agents.domain.phases.taking_back import after_revert, note_conflict
from agents.domain.task.reports import sign
from agents.domain.task.task import Task
from agents.ports import Joined, Ports


async def revert_phase(event: Event, ports: Ports) -> None:
    """By commits on top of the branch; before a crash or after it, the same ones. Nothing joins meanwhile of what is
    taken back: see `integrate`."""
    assert isinstance(event, e.PhaseRevertWanted)
    task = await ports.store.task(event.task)
    reverting = task.work.reverting
    if not task.in_work or reverting is None or reverting.phase != event.phase:
        await ports.store.record(task.id, lambda now, moment: [])
        return
    joined = _joined(task, reverting.subtasks, ports)
    undone = await ports.checkouts.undo(task.project or "", task.work.branch, task.work.base, list(joined.values()))
    stuck = next((n for (n, _), part in joined.items() if part.commit == undone.stuck), reverting.subtasks[0])

    def decide(now: Task, moment: Moment) -> Sequence[Event]:
        if not now.in_work or now.work.reverting != reverting:
            return []
        if undone.conflicts or undone.stuck:
            return note_conflict(now, reverting, stuck, undone.conflicts, moment)
        return after_revert(now, reverting, undone.tip, moment)

    await ports.store.record(task.id, decide)


def _joined(task: Task, numbers: Sequence[int], ports: Ports) -> dict[tuple[int, str], Joined]:
    return {
        (number, commit): Joined(
            commit=commit, base=base, message=sign(task, ports.texts.revert_text(task, number, commit))
        )
        for number in numbers
        for commit, base in task.work.on(number).contribution
    }


async def clear_phase(event: Event, ports: Ports) -> None:
    """The branches stay, for people may want to look at them."""
    assert isinstance(event, e.PhaseRestarted | e.PhaseRevertWanted | e.PhaseReverted)
    task = await ports.store.task(event.task)
    wanted = {work.branch for work in task.work.subtasks}
    for branch in event.branches:
        if branch not in wanted:
            await ports.checkouts.discard(task.project or "", branch)
    await ports.store.record(task.id, lambda now, moment: [])
