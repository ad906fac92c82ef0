"""Bring judged work onto the task's branch."""

from collections.abc import Sequence

from agents.domain import events as e
from agents.domain.decisions.kind import Moment
from agents.domain.decisions.kinds.work.escalation import escalate
from agents.domain.events import Event
from agents.domain.task.pull_report import join_text
from agents.domain.task.task import Task
from agents.domain.work import working
from agents.domain.work.work import SubtaskState
from agents.ports import Ports

NO_FIT = "Its commits do not fit on what the other subtasks brought in meanwhile"


async def integrate(event: Event, ports: Ports) -> None:
    assert isinstance(event, e.GatePassed)
    task = await ports.store.task(event.task)
    work = task.work.on(event.subtask)
    asked_by = task.request.origin.by if task.request.origin else await ports.store.name(task.request.by)
    passed_by = [await ports.store.name(person) for person in event.by]
    told = join_text(task, work.number, asked_by, passed_by)
    tip = await ports.checkouts.join(task.project or "", task.work.branch, task.work.base, work.commit, told)

    def decide(now: Task, moment: Moment) -> Sequence[Event]:
        mine = now.work.on(event.subtask)
        if not now.in_work or mine.attempt != event.attempt or mine.state is not SubtaskState.EVALUATING:
            return []
        return escalate(now, mine, NO_FIT, moment) if tip is None else working.done(now, mine, tip, moment)

    await ports.store.record(task.id, decide)
