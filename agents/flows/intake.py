"""What people mean: which project a request is for, and what a remark is meant to do."""

from collections.abc import Sequence

from agents.domain.errors import BudgetReached, NoAnswer
from agents.domain.events import Event, RemarkMade
from agents.domain.task import decide
from agents.domain.task.decide import Guess, Intent, Understood
from agents.domain.task.task import Task
from agents.ports import Ask, Ports


async def intake(event: Event, ports: Ports) -> None:
    """By rule, by a model that is sure of it, or by asking."""
    projects = ports.projects.names()
    task = await ports.store.task(event.task)
    of_channel = ports.projects.of_channel(task.request.channel)
    by_rule = (
        task.request.origin or task.request.mandate or decide.project_by_rule(task.request.text, projects, of_channel)
    )
    guess = None if by_rule else await _guess(task, projects, ports)

    await ports.store.record(event.task, lambda now, moment: decide.choose_project(now, projects, moment, guess))


async def _guess(task: Task, projects: Sequence[str], ports: Ports) -> Guess | None:
    """What a model makes of the words. Without one a person is asked, as they are where it is not sure."""
    asked = Ask(question="project", role="summarizer", step="project", task=task, about={"projects": list(projects)})
    try:
        return (await ports.llm.ask(asked, Guess))[0]
    except (NoAnswer, BudgetReached):
        return None


async def understand(event: Event, ports: Ports) -> None:
    """Without a model it stays a remark, and the commands still work."""
    assert isinstance(event, RemarkMade)
    task = await ports.store.task(event.task)
    about = {"said": event.text, "known": decide.remark_context(task)}
    asked = Ask(question="intent", role="summarizer", step="intent", task=task, about=about)
    try:
        understood, _ = await ports.llm.ask(asked, Understood)
    except (NoAnswer, BudgetReached):  # advice fails open, and no task stops for want of it
        understood = Understood(intent=Intent.OTHER, confidence=0)
    await ports.store.record(task.id, lambda now, moment: decide.after_remark(now, event, understood, moment))
