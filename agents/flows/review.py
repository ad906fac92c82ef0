"""Have the reviewers judge a decomposition, all at once. Two must; specialists only advise."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress

from pydantic import BaseModel, Field

from agents.domain.decisions.kind import Moment
from agents.domain.errors import BudgetReached, NoAnswer, OverlordError
from agents.domain.events import Event
from agents.domain.planning import planning
from agents.domain.planning.probes import Probe, probe_for
from agents.domain.planning.verdicts import Advice, Critic, CriticSays, Custodiet, CustodietSays, Review
from agents.domain.task.task import Task, TaskState
from agents.flows.lines import Line
from agents.flows.outcomes import got
from agents.ports import Ask, Ports, Specialist


class CriticAnswer(BaseModel):
    probe: Critic  # what it says of a small plan with a planted defect
    verdict: Critic
    issues: list[Line] = Field(default=[], max_length=20)
    untested_assumptions: list[Line] = Field(default=[], max_length=20)
    changes: list[Line] = Field(default=[], max_length=20)


class CustodietAnswer(BaseModel):
    """Short, or it does not count."""

    verdict: Custodiet
    issue: str = Field(default="", max_length=160)
    principle: str = Field(default="", max_length=160)
    suggestion: str = Field(default="", max_length=160)
    asks_for_change: bool = False


class SpecialistAnswer(BaseModel):
    concerns: list[Line] = Field(default=[], max_length=10)
    suggestions: list[Line] = Field(default=[], max_length=10)


async def review(event: Event, ports: Ports) -> None:
    seen = await ports.store.task(event.task)
    if not planning.stands_at(seen, TaskState.IN_REVIEW):
        await ports.store.record(seen.id, planning.nothing)
        return
    chosen = ports.specialists.for_tags(seen.plan.draft.tags) if seen.plan.draft else ()

    critic, custodiet, advice, _ = await asyncio.gather(
        _critic(seen, ports),
        _custodiet(seen, ports),
        asyncio.gather(*(_specialist(seen, who, ports) for who in chosen)),
        _get_ready(seen, ports),
        return_exceptions=True,
    )
    held = Review(critic=got(critic), custodiet=got(custodiet), advice=tuple(got(advice)))

    def decide(task: Task, moment: Moment) -> Sequence[Event]:
        return [] if planning.overtaken(seen, task) else planning.after_review(task, held, moment)

    await ports.store.record(seen.id, decide)


async def _get_ready(task: Task, ports: Ports) -> None:
    """Folders and walls for minions, while reviewers read and people make up their minds. Work tells what failed."""
    role = ports.workflow().implement.role
    with suppress(OverlordError):
        await asyncio.gather(ports.checkouts.prepare(task.project or ""), ports.minions.prepare(role))


async def _critic(task: Task, ports: Ports) -> CriticSays:
    """No verdict is never an approval. One that misses a planted defect gives none."""
    probe: Probe = probe_for(task)
    asked = _ask("critic", task, {"probe": probe.text}, ports)
    try:
        says, _ = await ports.llm.ask(asked, CriticAnswer)
    except NoAnswer as failed:
        return CriticSays(verdict=Critic.NO_VERDICT, why_none=failed.what)
    if says.probe in (Critic.PROCEED, Critic.NO_VERDICT):
        return CriticSays(verdict=Critic.NO_VERDICT, why_none=f"It did not see a planted defect: {probe.defect}")
    if says.verdict is Critic.NO_VERDICT:
        return CriticSays(verdict=Critic.NO_VERDICT, why_none="It could not assess the plan")
    return CriticSays(
        verdict=says.verdict,
        issues=tuple(says.issues),
        assumptions=tuple(says.untested_assumptions),
        changes=tuple(says.changes),
    )


async def _custodiet(task: Task, ports: Ports) -> CustodietSays:
    try:
        says, _ = await ports.llm.ask(_ask("custodiet", task, {}, ports), CustodietAnswer)
    except NoAnswer as failed:
        return CustodietSays(verdict=Custodiet.NO_VERDICT, why_none=failed.what)
    if says.verdict is Custodiet.NO_VERDICT:
        return CustodietSays(verdict=Custodiet.NO_VERDICT, why_none="It could not assess the plan")
    return CustodietSays(
        verdict=says.verdict,
        issue=says.issue,
        principle=says.principle,
        suggestion=says.suggestion,
        asks_for_change=says.asks_for_change,
    )


async def _specialist(task: Task, specialist: Specialist, ports: Ports) -> Advice:
    """Advice fails open, and the card says that it is missing."""
    about = {"specialist": specialist.name, "focus": specialist.focus}
    asked = Ask(
        question="specialist",
        role="supervisor",
        step=f"specialist:{specialist.name}:{task.plan.number}",
        task=task,
        about=about,
        policy=ports.workflow().plan_review.retry_policy,
    )
    try:
        says, _ = await ports.llm.ask(asked, SpecialistAnswer)
    except (NoAnswer, BudgetReached) as failed:
        return Advice(specialist=specialist.name, why_none=failed.what)
    return Advice(specialist=specialist.name, concerns=tuple(says.concerns), suggestions=tuple(says.suggestions))


def _ask(reviewer: str, task: Task, about: dict[str, object], ports: Ports) -> Ask:
    step, policy = f"{reviewer}:{task.plan.number}", ports.workflow().plan_review.retry_policy
    return Ask(question=reviewer, role=reviewer, step=step, task=task, about=about, policy=policy)
