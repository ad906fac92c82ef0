"""A look at the code for whoever plans, or judges a plan."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

from agents.domain.task.task import Task
from agents.ports import Ask, CheckoutFailed, LookBrief, Ports

CONTINUES = 3  # earlier questions that a planner goes on from; a judge always begins afresh


@asynccontextmanager
async def with_look(
    asked: Ask, ports: Ports, *, role: str, turns: int | None, continues: int = 0
) -> AsyncIterator[Ask]:
    """The question, with tools to look at the code; as it was, where there is nothing to look at.

    The run is named by the first word of its step, such as `critic:2`. No turns (None): the tools stand there and are
    not to be called, for providers lay them before all words, and so find the beginning that others had.
    """
    commit = await _find_commit(asked.task, ports) if turns != 0 else ""
    if not commit:
        yield without_look(asked)
        return
    brief = LookBrief(
        task=asked.task,
        run=asked.step.partition(":")[0],
        step=f"{asked.step}:{asked.task.plan.asked}",
        project=asked.task.project or "",
        commit=commit,
        role=role,
        turns=turns or 0,
        continues=continues,
        judges=asked.question != "decompose",
    )
    async with ports.reader.look(brief, ports.live(asked.task.id, 0)) as look:
        yield replace(asked, look=look, about={**asked.about, "looks": (turns or 0) if look.tools else 0})


def without_look(asked: Ask) -> Ask:
    return replace(asked, look=None, about={**asked.about, "looks": 0})


async def _find_commit(task: Task, ports: Ports) -> str:
    project = task.project or ""
    try:
        return await ports.checkouts.tip(project, "HEAD") if await ports.projects.files(project) else ""
    except CheckoutFailed:
        return ""
