"""Have the reviewers judge a decomposition, and let two who disagree answer each other, at most twice."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial

from agents.domain.decisions.kind import Moment
from agents.domain.errors import BudgetReached, NoAnswer, OverlordError, StepRests
from agents.domain.events import Event, ReviewersDisagreed
from agents.domain.models.failure import Failure, failure_of_step
from agents.domain.planning import planning
from agents.domain.planning.points import hold_against, relevant
from agents.domain.planning.probes import probe_for
from agents.domain.planning.review import (
    Advice,
    Argument,
    Critic,
    CriticSays,
    Custodiet,
    CustodietSays,
    Debate,
    Review,
    Round,
    Side,
)
from agents.domain.task.task import Task, TaskState
from agents.flows.asking.before import tell_before
from agents.flows.asking.looks import with_look
from agents.flows.outcomes import result_of
from agents.flows.retrying import run_by_policy
from agents.flows.review_answers import CriticAnswer, CustodietAnswer, DebateAnswer, SpecialistAnswer
from agents.ports import Ask, Ports, Specialist, Spent

SHORT_TURNS = 3  # in which planner and critic together look at the code for a small change


async def review(event: Event, ports: Ports) -> None:
    """All at once. Critic and custodiet must answer; specialists only advise."""
    seen = await ports.store.task(event.task)
    if not planning.stands_at(seen, TaskState.IN_REVIEW):
        await ports.store.record(seen.id, planning.nothing)
        return
    step = ports.workflow(seen).plan_review
    heard = await run_by_policy(step, seen, ports, partial(_hear_all, seen, ports), lambda heard: heard.failure)
    held = hold_against(heard.review, ports.principles)

    def decide(task: Task, moment: Moment) -> Sequence[Event]:
        return [] if planning.overtaken(seen, task) else planning.after_review(task, held, moment)

    await ports.store.record(seen.id, decide)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Heard:
    review: Review
    failure: Failure | None  # why somebody who must answer was not heard


async def _hear_all(seen: Task, ports: Ports) -> _Heard:
    tags = seen.plan.draft.tags if seen.plan.draft else frozenset()
    chosen = [] if seen.plan.short else [each for each in ports.specialists if each.domains & tags]
    silent = list[NoAnswer]()
    critic, custodiet, advice, _ = await asyncio.gather(
        _critic(seen, ports, silent.append),
        _custodiet(seen, ports, silent.append),
        asyncio.gather(*(_specialist(seen, who, ports) for who in chosen)),
        _get_ready(seen, ports),
        return_exceptions=True,
    )
    said = Review(critic=result_of(critic), custodiet=result_of(custodiet), advice=tuple(result_of(advice)))
    return _Heard(review=said, failure=failure_of_step(silent[0]) if silent else None)


async def _get_ready(task: Task, ports: Ports) -> None:
    """Folders and walls for minions, while reviewers read and people make up their minds. Work tells what failed."""
    role = ports.workflow(task).implement.role
    with suppress(OverlordError):
        await asyncio.gather(ports.checkouts.prepare(task.project or ""), ports.minions.prepare(role))


async def _critic(task: Task, ports: Ports, tell: Callable[[NoAnswer], object]) -> CriticSays:
    """No verdict is never an approval. One that misses a planted defect gives none."""
    probe, turns = probe_for(task), ports.limits.critic_turns
    if task.plan.short:
        turns = min(turns, max(0, SHORT_TURNS - task.plan.looked))
    about = {"probe": probe.text, **_principles(task, ports), **await tell_before(task, ports)}
    role = ports.workflow(task).review.role
    try:
        async with with_look(_ask("critic", task, about, ports), ports, role=role, turns=turns) as asked:
            says, _ = await ports.llm.ask(asked, CriticAnswer)
    except NoAnswer as failed:
        tell(failed)
        return CriticSays(verdict=Critic.NO_VERDICT, why_none=failed.what)
    if says.probe in (Critic.PROCEED, Critic.NO_VERDICT):
        return CriticSays(verdict=Critic.NO_VERDICT, why_none=f"It did not see a planted defect: {probe.defect}")
    if says.verdict is Critic.NO_VERDICT:
        return CriticSays(verdict=Critic.NO_VERDICT, why_none="It could not assess the plan")
    return replace(says.says(), read=asked.look.read if asked.look else ())


async def _custodiet(task: Task, ports: Ports, tell: Callable[[NoAnswer], object]) -> CustodietSays:
    try:
        about = {**_principles(task, ports), **await tell_before(task, ports)}
        says, _ = await ports.llm.ask(_ask("custodiet", task, about, ports), CustodietAnswer)
    except NoAnswer as failed:
        tell(failed)
        return CustodietSays(verdict=Custodiet.NO_VERDICT, why_none=failed.what)
    if says.verdict is Custodiet.NO_VERDICT:
        return CustodietSays(verdict=Custodiet.NO_VERDICT, why_none="It could not assess the plan")
    return says.says()


def _principles(task: Task, ports: Ports) -> dict[str, object]:
    tags = task.plan.draft.tags if task.plan.draft else frozenset()
    known = relevant(ports.principles, tags)
    return {"principles": [{"id": each.id, "title": each.title, "means": each.means} for each in known]}


async def _specialist(task: Task, specialist: Specialist, ports: Ports) -> Advice:
    """Advice fails open, and the card says that it is missing."""
    about = {"specialist": specialist.name, "focus": specialist.focus}
    step = f"specialist:{specialist.name}:{task.plan.number}"
    asked = replace(_ask("specialist", task, about, ports), role="supervisor", step=step)
    try:
        says, _ = await ports.llm.ask(asked, SpecialistAnswer)
    except (NoAnswer, BudgetReached) as failed:
        return Advice(specialist=specialist.name, why_none=failed.what)
    return Advice(specialist=specialist.name, concerns=says.concerns, suggestions=says.suggestions)


def _ask(reviewer: str, task: Task, about: Mapping[str, object], ports: Ports) -> Ask:
    step, policy = f"{reviewer}:{task.plan.number}", ports.workflow(task).plan_review.retry_policy
    return Ask(question=reviewer, role=reviewer, step=step, task=task, about=about, policy=policy)


async def debate(event: Event, ports: Ports) -> None:
    assert isinstance(event, ReviewersDisagreed)
    seen = await ports.store.task(event.task)
    if not planning.stands_at(seen, TaskState.IN_REVIEW):
        await ports.store.record(seen.id, planning.nothing)
        return
    paid = True
    try:
        await run_by_policy(ports.workflow(seen).plan_review, seen, ports, partial(_argue_on, seen, ports))
    except (NoAnswer, StepRests):
        pass  # what there is goes to a person
    except BudgetReached:
        paid = False

    def decide(task: Task, moment: Moment) -> Sequence[Event]:
        if planning.overtaken(seen, task) or task.plan.debate is None:
            return []
        return planning.after_debate(task, task.plan.debate, moment, paid=paid)

    await ports.store.record(seen.id, decide)


async def _argue_on(seen: Task, ports: Ports) -> None:
    """From the round that was noted last. Each is noted as it ends, unless the task has moved on."""
    now, before = seen, None
    while now.plan.debate and now.plan.debate != before and not now.plan.debate.over:
        before, round = now.plan.debate, await _round(now, now.plan.debate, ports)
        now = await ports.store.note(seen.id, partial(_note, seen, round))


def _note(seen: Task, round: Round, task: Task, moment: Moment) -> Sequence[Event]:
    return [] if planning.overtaken(seen, task) else planning.after_round(task, round, moment)


async def _round(task: Task, held: Debate, ports: Ports) -> Round:
    number = held.next_round
    critic, custodiet = await asyncio.gather(
        _argue(Side.CRITIC, number, task, held, ports),
        _argue(Side.CUSTODIET, number, task, held, ports),
        return_exceptions=True,
    )
    (one, spent), (other, also) = result_of(critic), result_of(custodiet)
    return Round(number=number, critic=one, custodiet=other, cost=spent.cost + also.cost)


async def _argue(side: Side, number: int, task: Task, held: Debate, ports: Ports) -> tuple[Argument, Spent]:
    other = Side.CUSTODIET if side is Side.CRITIC else Side.CRITIC
    theirs = _concern(held.now, other)
    if held.rounds:
        theirs = (held.rounds[-1].critic if other is Side.CRITIC else held.rounds[-1].custodiet).point
    mine = _concern(held.now, side)
    about = {"side": side.value, "other": other.value, "mine": mine, "theirs": theirs, "round": number}
    step = f"debate:{side}:{task.plan.number}:{number}"
    asked = replace(_ask("debate", task, about, ports), role=side.value, step=step)
    says, spent = await ports.llm.ask(asked, DebateAnswer)
    return Argument(side=side, **dict(says)), spent


def _concern(review: Review, side: Side) -> str:
    critic, custodiet = review.critic, review.custodiet
    if side is Side.CRITIC:
        return f"{critic.verdict}: {'; '.join((*map(str, critic.issues), *critic.changes)) or 'nothing to change'}"
    return f"{custodiet.verdict}: {custodiet.issue or 'nothing to change'} {custodiet.suggestion}".strip()
