"""What people mean: what a message is, of which project, what a remark is meant to do, what wishes contradict."""

from collections.abc import Sequence

from pydantic import BaseModel, Field

from agents.domain.asking import remarks, routes
from agents.domain.asking.meaning import COMMANDS, Message, RouteAnswer, Routed, named_tasks, task_meant
from agents.domain.asking.names import Route
from agents.domain.asking.remarks import Intent, Understood
from agents.domain.decisions.kind import Moment
from agents.domain.errors import BudgetReached, NoAnswer
from agents.domain.events import Event, FollowUpSaid, RemarkMade, TaskRequested
from agents.domain.task import decide
from agents.domain.task.decide import Guess, Weighed
from agents.domain.task.task import Task
from agents.domain.task.wishes import Wish
from agents.flows.asking.before import link_to_earlier
from agents.ports import Ask, Ports, Surroundings

OF_A_PROJECT = (Route.CHANGE, Route.QUESTION, Route.SKILL)


async def intake(event: Event, ports: Ports) -> None:
    """What it is: as its author says, as a model that is sure of it says, or by asking. Then, of which project."""
    projects = ports.projects.names()
    task = await ports.store.task(event.task)
    routed = await _route_first(task, projects, ports) if isinstance(event, TaskRequested) else None
    if routed and not (routed.sure and routed.route in OF_A_PROJECT):
        taken = routed
        await ports.store.record(event.task, lambda now, moment: routes.after_route(now, taken, moment))
        return
    await link_to_earlier(task, ports)
    of_channel = ports.projects.of_channel(task.request.channel)
    by_rule = (
        task.request.origin or task.request.mandate or decide.project_by_rule(task.request.text, projects, of_channel)
    )
    guess = None if by_rule else await _guess(task, projects, ports)

    def record(now: Task, moment: Moment) -> Sequence[Event]:
        became = routes.after_route(now, routed, moment) if routed else routes.after_mandate(now, moment)
        return [*became, *decide.choose_project(now, projects, moment, guess)]

    await ports.store.record(event.task, record)


async def follow_up(event: Event, ports: Ports) -> None:
    """What was said in the thread of a question."""
    assert isinstance(event, FollowUpSaid)
    task = await ports.store.task(event.task)
    said = Message(by=event.by, text=event.text, delivery=event.delivery)
    routed = await _route(task, event.text, "follow_up", ports.projects.names(), ports) or Routed(route=Route.QUESTION)
    await ports.store.record(task.id, lambda now, moment: routes.after_follow_up(now, said, routed, moment))


async def _route_first(task: Task, projects: Sequence[str], ports: Ports) -> Routed | None:
    """None: it asks for a change, and nobody had to tell."""
    if not routes.needs_routing(task):
        return None
    if wants := task.request.wants:
        return None if wants is Route.CHANGE else Routed(route=wants)
    return await _route(task, task.request.text, "route", projects, ports)


async def _route(task: Task, said: str, step: str, projects: Sequence[str], ports: Ports) -> Routed | None:
    """What a model takes a message for; None for a request to the rehearsal, which knows those that it can play."""
    around = await ports.store.surroundings(task.id)
    about = {
        "said": said,
        "recent": list(around.said),
        "known": _known(around),
        "projects": list(projects),
    }
    asked = Ask(
        question="route", role="summarizer", step=step, task=task, about=about, refuse=RouteAnswer.contradiction
    )
    try:
        says, spent = await ports.llm.ask(asked, RouteAnswer)
    except NoAnswer as none:
        return Routed(route=Route.NOTHING, confidence=0, unclear=none.what)
    if spent.rehearsal and says.route is Route.CHANGE:
        return None
    shown = {near.id for near in around.tasks}
    meant = task_meant(says.task, said, shown)
    several = "it names several tasks" if says.route in COMMANDS and len(named_tasks(said)) > 1 else ""
    return Routed(route=says.route, confidence=says.confidence, act=says.act, about=meant, unclear=several)


def _known(around: Surroundings) -> list[str]:
    return [
        f"{near.id} ({near.state.replace('_', ' ')}): {near.request}"
        + "".join(f"; waits for a person: {what.replace('_', ' ')}" for what in near.waits_for)
        for near in around.tasks
    ]


async def _guess(task: Task, projects: Sequence[str], ports: Ports) -> Guess | None:
    """What a model makes of the words. Without one a person is asked, as they are where it is not sure."""
    asked = Ask(question="project", role="summarizer", step="project", task=task, about={"projects": list(projects)})
    try:
        return (await ports.llm.ask(asked, Guess))[0]
    except (NoAnswer, BudgetReached):
        return None


async def understand(event: Event, ports: Ports) -> None:
    """Without a model it stays a remark, and the commands still work. Nobody need read a thank-you."""
    assert isinstance(event, RemarkMade)
    task = await ports.store.task(event.task)
    if event.talk:
        await ports.store.record(task.id, lambda now, moment: [])
        return
    around = await ports.store.surroundings(task.id)
    about = {"said": event.text, "known": remarks.remark_context(task), "recent": list(around.said)}
    asked = Ask(question="intent", role="summarizer", step="intent", task=task, about=about)
    try:
        understood, _ = await ports.llm.ask(asked, Understood)
    except (NoAnswer, BudgetReached):  # advice fails open, and no task stops for want of it
        understood = Understood(intent=Intent.OTHER, confidence=0)
    await ports.store.record(task.id, lambda now, moment: remarks.after_remark(now, event, understood, moment))


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
