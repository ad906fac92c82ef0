"""What people mean: which project a request is for, what a remark is meant to do, and what wishes contradict."""

from collections.abc import Sequence

from pydantic import BaseModel, Field

from agents.domain.decisions.kind import Moment
from agents.domain.errors import BudgetReached, NoAnswer
from agents.domain.events import Event, RemarkMade
from agents.domain.task import decide
from agents.domain.task.decide import Guess, Intent, Understood, Weighed
from agents.domain.task.task import Task
from agents.domain.task.wishes import Wish
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


class WishAnswer(BaseModel):
    contradicts: bool
    what: str = Field(default="", max_length=300, description="which part of the plan, and how, in one sentence")
    confidence: float = Field(ge=0, le=1, description="how sure you are, from 0 to 1; below 0.7 it counts as unclear")

    def contradiction(self) -> str:
        """Why it is no answer, though it has the shape of one."""
        return "it says that something is contradicted, and not what" if self.contradicts and not self.what else ""


async def weigh_wishes(event: Event, ports: Ports) -> None:
    """Without a model a wish is kept all the same, and people are told that nobody compared it."""
    seen = await ports.store.task(event.task)
    found = [(wish.number, await _weigh(wish, seen, ports)) for wish in decide.to_weigh(seen)]

    def record(task: Task, moment: Moment) -> Sequence[Event]:
        return [fact for number, weighed in found for fact in decide.weigh(task, number, weighed, moment)]

    await ports.store.record(seen.id, record)


async def _weigh(wish: Wish, task: Task, ports: Ports) -> Weighed:
    step, about = f"wish:{wish.number}", {"said": wish.words}
    asked = Ask(question="wish", role="summarizer", step=step, task=task, about=about, refuse=WishAnswer.contradiction)
    try:
        says, _ = await ports.llm.ask(asked, WishAnswer)
    except (NoAnswer, BudgetReached) as none:
        return Weighed(unclear=none.what)
    return Weighed(contradicts=says.what if says.contradicts else "", confidence=says.confidence)
