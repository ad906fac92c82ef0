"""What flows get back: a line of a model's answer, steps that ran side by side, and the patch of failed work."""

import asyncio
from collections.abc import Coroutine
from typing import Annotated, Any, TypeVar

from pydantic import Field

from agents.domain.ids import TaskId
from agents.domain.task.task import Task
from agents.domain.work.dispatching import key_of
from agents.domain.work.work import Work
from agents.ports import Ports

Outcome = TypeVar("Outcome")
# How much a model may say in one piece: enough for a few sentences, too little to flood a card or a prompt.
Line = Annotated[str, Field(max_length=600)]
Name = Annotated[str, Field(max_length=250)]  # of a file, with its folders, or of a tag


def result_of(outcome: Outcome | BaseException) -> Outcome:
    """For `gather(…, return_exceptions=True)`: every step is waited for, as all of them are paid; then one may fail."""
    if isinstance(outcome, BaseException):
        raise outcome
    return outcome


async def unless_ended(task: TaskId, ports: Ports, doing: Coroutine[Any, Any, Outcome]) -> Outcome | None:
    """Something long, called off when the task has ended meanwhile (None)."""
    running = asyncio.ensure_future(doing)
    over = asyncio.ensure_future(ports.store.until(task, lambda now: now.ended))
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
