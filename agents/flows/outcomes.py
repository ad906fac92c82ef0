"""What flows get back: steps that ran side by side, the patch of failed work, and what earlier steps handed in."""

import asyncio
from collections.abc import Coroutine, Iterable
from typing import Any, TypeVar

from agents.domain import events as e
from agents.domain.decisions.kind import Moment
from agents.domain.events import Event
from agents.domain.ids import TaskId
from agents.domain.skills.drafting import LABEL, touches_skills
from agents.domain.task.task import Task
from agents.domain.text.sanitize import clean, cut
from agents.domain.work.dispatching import key_of
from agents.domain.work.stepping import part_of, workflow_pinned
from agents.domain.work.work import Work
from agents.domain.workflow.steps import Step
from agents.ports import Ports, Pull, PullRequest

Outcome = TypeVar("Outcome")
PIECE = 500  # characters of a summary, a note or a reviewer's comments that later steps are given


def result_of(outcome: Outcome | BaseException) -> Outcome:
    """For `gather(…, return_exceptions=True)`: every step is waited for, as all of them are paid; then one may fail."""
    if isinstance(outcome, BaseException):
        raise outcome
    return outcome


async def unless_ended(task: TaskId, ports: Ports, doing: Coroutine[Any, Any, Outcome]) -> Outcome | None:
    """Something long, called off when the task has ended meanwhile (None)."""
    running = asyncio.ensure_future(doing)
    over = asyncio.ensure_future(ports.store.until(task, lambda now: now.has_ended))
    try:
        await asyncio.wait({running, over}, return_when=asyncio.FIRST_COMPLETED)
        return await running if running.done() else None
    finally:
        await cancel_and_wait(running, over)


async def cancel_and_wait(*running: "asyncio.Future[Any]") -> None:
    for each in running:
        each.cancel()
    await asyncio.gather(*running, return_exceptions=True)


async def keep_patch(task: Task, work: Work, commit: str, ports: Ports) -> str:
    """The folder goes, what was done stays. The name it is kept under; none, if nothing was done."""
    text = await ports.checkouts.patch(task.project or "", work.base, commit)
    return await ports.artefacts.keep(f"{key_of(task, work)}.patch", text) if text else ""


async def keep_audit(task: Task, ports: Ports) -> None:
    """Who did and decided what, where its workflow asks for it. Kept again, it is as it is then."""
    if workflow_pinned(task).keeps_audit:
        text = ports.texts.audit_text(task, await ports.store.history(task.id))
        await ports.artefacts.keep(f"{task.id}.audit", text)


async def pull_for(task: Task, head: str, ports: Ports, *, draft: bool = False) -> Pull:
    """The pull request of a task at this head: the same one, whenever it is asked for. Its diff is kept to be read."""
    project, history = task.project or "", await ports.store.history(task.id)
    title, body = ports.texts.pull_text(task, history)
    into = task.work.into or await ports.forge.base(project)
    await keep_audit(task, ports)
    await ports.artefacts.keep(f"{task.id}.diff", await ports.checkouts.patch(project, task.work.base, head))
    return Pull(
        key=str(task.id),
        project=project,
        branch=task.work.branch,
        head=head,
        title=title,
        body=body,
        into=into,
        draft=draft,
        replaces=task.delivery.early or (task.delivery.head if task.delivery.notes else ""),
        labels=(LABEL,) if touches_skills(task) else (),
    )


def note_draft(task: Task, shown: PullRequest, head: str, moment: Moment) -> list[Event]:
    """Once for each head, and not once the work was handed over as finished."""
    finished = task.delivery.pull and not task.delivery.early
    if finished or task.delivery.early == head:
        return []
    return [e.DraftOpened(task=task.id, at=moment.at, number=shown.number, url=shown.url, head=head)]


async def keep_outputs(task: Task, work: Work, step: Step, pieces: Iterable[str], ports: Ports) -> None:
    """What a step handed in, under each name that its workflow gives to it. Done again, the step replaces it."""
    text = "\n\n".join(cut(clean(piece), PIECE) for piece in pieces if piece)
    for name in step.outputs:
        await ports.artefacts.keep(_output(task, work, name), text)


async def outputs_before(task: Task, work: Work, step: Step, ports: Ports) -> tuple[str, ...]:
    """What the steps before it handed in for the same subtask, each with its name. Nobody has confirmed it."""
    steps = workflow_pinned(task).part(part_of(task, work.number))
    names = dict.fromkeys(name for earlier in steps[: steps.index(step)] for name in earlier.outputs)
    kept = [(name, await ports.artefacts.read(_output(task, work, name))) for name in names]
    return tuple(f"{name}: {text}" for name, text in kept if text)


def _output(task: Task, work: Work, name: str) -> str:
    return f"{task.id}.{work.number}.{name}"
