"""Ask a reviewer a control question now and then: the same question about the real thing, with one planted fault.

It is never announced, and a model sees it only as another review. What it says of it is seen by nobody but this code.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import cast

from agents.domain import events as e
from agents.domain.decisions.kind import Moment
from agents.domain.errors import BudgetReached, NoAnswer
from agents.domain.events import Event
from agents.domain.ids import project_id
from agents.domain.models.control import LAST, Tried, is_believed, is_drawn, misses_of, remember_try
from agents.domain.models.failure import ErrorClass
from agents.domain.task.task import Task
from agents.ports import Ask, Ports, Shape

READ = (ErrorClass.PARSING, ErrorClass.VALIDATION, ErrorClass.LOGIC)  # an answer came


@dataclass(frozen=True, slots=True, kw_only=True)
class Control:
    """How one control question ended."""

    model: str
    question: str
    missed: bool


async def ask_control(asked: Ask, shape: type[Shape], misses: Callable[[Shape], bool], ports: Ports) -> Control | None:
    """None: nobody was asked, or nobody answered, which says nothing of anybody. What cannot be read was not seen."""
    try:
        says, spent = await ports.llm.ask(replace(asked, step=f"{asked.step}:control", look=None), shape)
    except BudgetReached:
        return None
    except NoAnswer as none:
        known = none.model if none.error in READ else ""
        return Control(model=known, question=asked.question, missed=True) if known else None
    return Control(model=spent.model, question=asked.question, missed=misses(says))


def is_control_due(task: Task, step: str, ports: Ports) -> bool:
    """The rehearsal has no model whom one could ask."""
    return not task.plan.rehearsal and is_drawn(ports.limits.control_every, task.id, task.request.text, step)


async def known_tries(task: Task, ports: Ports) -> tuple[Tried, ...]:
    """How models did in this project."""
    found = cast("tuple[Tried, ...]", ())

    def look(now: Task, moment: Moment) -> Sequence[Event]:
        nonlocal found
        about = moment.project()
        found = about.tried if about else ()
        return []

    await ports.store.note(task.id, look)
    return found


def with_controls(known: tuple[Tried, ...], made: Sequence[Control | None]) -> tuple[Tried, ...]:
    for control in filter(None, made):
        known = remember_try(known, control.model, missed=control.missed)
    return known


def why_not_believed(known: Sequence[Tried], *models: str) -> str:
    """Of all who had a part in a verdict. Empty: it counts."""
    doubted = next((model for model in models if not is_believed(known, model)), None)
    if doubted is None:
        return ""
    return f"{doubted} missed {misses_of(known, doubted)} of its last {LAST} control questions"


def control_facts(task: Task, made: Sequence[Control | None], moment: Moment) -> list[Event]:
    project = project_id(task.project or "")
    return [
        e.ReviewerTried(
            task=task.id,
            project=project,
            at=moment.at,
            model=control.model,
            question=control.question,
            missed=control.missed,
        )
        for control in made
        if control and task.project
    ]
