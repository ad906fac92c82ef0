"""Settle which project a request is for, or ask."""

from collections.abc import Sequence

from agents.domain import decide
from agents.domain.asking import Moment
from agents.domain.events import Event
from agents.domain.task import Task
from agents.ports import Ports


async def intake(event: Event, ports: Ports) -> None:
    projects = ports.projects.names()

    def choose(task: Task, moment: Moment) -> Sequence[Event]:
        return decide.choose_project(task, projects, moment)

    await ports.store.record(event.task, choose)
