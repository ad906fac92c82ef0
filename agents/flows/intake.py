"""Settle which project a request is for: by rule, by a model that is sure of it, or by asking."""

from collections.abc import Sequence

from pydantic import BaseModel, Field

from agents.domain.decisions.kind import Moment
from agents.domain.errors import BudgetReached, NoAnswer
from agents.domain.events import Event
from agents.domain.task import decide
from agents.domain.task.decide import Guess
from agents.domain.task.task import Task
from agents.ports import Ask, Ports


class ProjectAnswer(BaseModel):
    project: str = Field(default="", max_length=200, description="one of the names; empty if the words do not tell")
    confidence: float = Field(ge=0, le=1, description="how sure you are, from 0 to 1; below 0.7 the person is asked")


async def intake(event: Event, ports: Ports) -> None:
    projects = ports.projects.names()
    task = await ports.store.task(event.task)
    of_channel = ports.projects.of_channel(task.request.channel)
    by_rule = (
        task.request.origin or task.request.mandate or decide.project_by_rule(task.request.text, projects, of_channel)
    )
    guess = None if by_rule else await _guess(task, projects, ports)

    def choose(task: Task, moment: Moment) -> Sequence[Event]:
        return decide.choose_project(task, projects, moment, guess)

    await ports.store.record(event.task, choose)


async def _guess(task: Task, projects: Sequence[str], ports: Ports) -> Guess | None:
    """What a model makes of the words. Without one a person is asked, as they are where it is not sure."""
    asked = Ask(question="project", role="summarizer", step="project", task=task, about={"projects": list(projects)})
    try:
        says, _ = await ports.llm.ask(asked, ProjectAnswer)
    except (NoAnswer, BudgetReached):
        return None
    return Guess(project=says.project, confidence=says.confidence)
