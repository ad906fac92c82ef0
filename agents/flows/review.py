"""Have the reviewers judge a decomposition, and let two who disagree answer each other, at most twice."""

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TypeVar

from agents.domain.decisions.kind import Moment
from agents.domain.errors import BudgetReached, NoAnswer, OverlordError, StepRests
from agents.domain.events import Event, ReviewersDisagreed
from agents.domain.knowledge.document import Status
from agents.domain.models.control import Tried
from agents.domain.models.failure import Failure, failure_of_step
from agents.domain.planning import planning
from agents.domain.planning.debating import with_grounds
from agents.domain.planning.planted import plant_in_plan
from agents.domain.planning.points import Principle, hold_against, relevant
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
from agents.flows.controls import (
    Control,
    ask_control,
    control_facts,
    is_control_due,
    known_tries,
    why_not_believed,
    with_controls,
)
from agents.flows.outcomes import result_of
from agents.flows.retrying import run_by_policy
from agents.flows.review_answers import CriticAnswer, CustodietAnswer, DebateAnswer, SpecialistAnswer
from agents.ports import Ask, Ports, Specialist, Spent

Kept = TypeVar("Kept")
SHORT_TURNS = 3  # in which planner and critic together look at the code for a small change


async def review(event: Event, ports: Ports) -> None:
    """All at once. Critic and custodiet must answer; specialists only advise."""
    seen = await ports.store.task(event.task)
    if not planning.stands_at(seen, TaskState.IN_REVIEW):
        await ports.store.record(seen.id, planning.nothing)
        return
    step = ports.workflow(seen).plan_review
    heard = await run_by_policy(step, seen, ports, partial(_hear_all, seen, ports), lambda heard: heard.failure)
    held = hold_against(heard.review, (*ports.principles, *await _notes_cited(seen, ports)))

    def decide(task: Task, moment: Moment) -> Sequence[Event]:
        tried = control_facts(task, heard.controls, moment)
        return [*tried, *([] if planning.overtaken(seen, task) else planning.after_review(task, held, moment))]

    await ports.store.record(seen.id, decide)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Heard:
    review: Review
    failure: Failure | None  # why somebody who must answer was not heard
    controls: tuple[Control | None, ...] = ()


@dataclass(slots=True, kw_only=True)
class _Hearing:
    """One hearing of the reviewers. `task` is as they are shown it: what others said of it before is left out."""

    task: Task
    ports: Ports
    silent: list[NoAnswer] = field(default_factory=list)
    models: dict[Side, str] = field(default_factory=dict)  # who gave a verdict

    def why_not(self, side: Side, tries: tuple[Tried, ...]) -> str:
        """Why its verdict does not count; empty: it does."""
        return why_not_believed(tries, self.models.get(side, ""))


async def _hear_all(seen: Task, ports: Ports) -> _Heard:
    """Whoever gave a verdict on this version before is not asked again."""
    before, known = seen.plan.review, await known_tries(seen, ports)
    hearing = _Hearing(task=replace(seen, plan=replace(seen.plan, review=None, debate=None)), ports=ports)
    critic, custodiet, advice, controls, _ = await asyncio.gather(
        _critic(hearing) if before is None or Side.CRITIC in before.silent else _as_before(before.critic),
        _custodiet(hearing) if before is None or Side.CUSTODIET in before.silent else _as_before(before.custodiet),
        _advice(hearing) if before is None else _as_before(before.advice),
        _controls(hearing) if before is None else _as_before(()),
        _get_ready(seen, ports),
        return_exceptions=True,
    )
    made = result_of(controls)
    tries = with_controls(known, made)
    said = Review(
        critic=_believed_critic(result_of(critic), hearing.why_not(Side.CRITIC, tries)),
        custodiet=_believed_guard(result_of(custodiet), hearing.why_not(Side.CUSTODIET, tries)),
        advice=tuple(result_of(advice)),
    )
    failure = failure_of_step(hearing.silent[0]) if hearing.silent else None
    return _Heard(review=said, failure=failure, controls=made)


async def _as_before(said: Kept) -> Kept:
    return said


def _believed_critic(said: CriticSays, why_not: str) -> CriticSays:
    return CriticSays(verdict=Critic.NO_VERDICT, why_none=why_not) if why_not else said


def _believed_guard(said: CustodietSays, why_not: str) -> CustodietSays:
    return CustodietSays(verdict=Custodiet.NO_VERDICT, why_none=why_not) if why_not else said


async def _controls(hearing: _Hearing) -> tuple[Control | None, ...]:
    """Of the same plan with a step in it that nobody could let pass."""
    task, ports, draft = hearing.task, hearing.ports, hearing.task.plan.draft
    if draft is None:
        return ()
    key = f"{task.id}:{task.plan.number}"
    planted = replace(task, plan=replace(task.plan, draft=plant_in_plan(draft, key)))
    about = {**_principles(task, ports), **await tell_before(task, ports)}
    asked = []
    if is_control_due(task, f"critic:{task.plan.number}", ports):
        seen, mine = (Critic.REVISE, Critic.HALT), ports.workflow(task).plan_review.role
        critic = replace(_ask("critic", planted, about, ports), persona=mine)
        asked.append(ask_control(critic, CriticAnswer, lambda says: says.verdict not in seen, ports))
    if is_control_due(task, f"custodiet:{task.plan.number}", ports):
        noticed = (Custodiet.WARN, Custodiet.BLOCK)
        guard = _ask("custodiet", planted, about, ports)
        asked.append(ask_control(guard, CustodietAnswer, lambda says: says.verdict not in noticed, ports))
    return tuple(await asyncio.gather(*asked))


async def _get_ready(task: Task, ports: Ports) -> None:
    """Folders and walls for minions, while reviewers read and people make up their minds. Work tells what failed."""
    role = ports.workflow(task).implement.role
    with suppress(OverlordError):
        await asyncio.gather(ports.checkouts.prepare(task.project or ""), ports.minions.prepare(role))


async def _critic(hearing: _Hearing) -> CriticSays:
    """No verdict is never an approval."""
    task, ports = hearing.task, hearing.ports
    turns = ports.limits.critic_turns
    if task.plan.short:
        turns = min(turns, max(0, SHORT_TURNS - task.plan.looked))
    about = {**_principles(task, ports), **await tell_before(task, ports)}
    workflow = ports.workflow(task)
    role, mine = workflow.plan_review.role or workflow.review.role, workflow.plan_review.role
    asked = replace(_ask("critic", task, about, ports), persona=mine, refuse=CriticAnswer.contradiction)
    try:
        async with with_look(asked, ports, role=role, turns=turns) as asked:
            says, spent = await ports.llm.ask(asked, CriticAnswer)
    except NoAnswer as failed:
        hearing.silent.append(failed)
        return CriticSays(verdict=Critic.NO_VERDICT, why_none=failed.what)
    hearing.models[Side.CRITIC] = spent.model
    if why := says.contradiction():
        return CriticSays(verdict=Critic.NO_VERDICT, why_none=why)
    if says.verdict is Critic.NO_VERDICT:
        return CriticSays(verdict=Critic.NO_VERDICT, why_none="It could not assess the plan")
    return replace(says.says(), read=asked.look.read if asked.look else ())


async def _custodiet(hearing: _Hearing) -> CustodietSays:
    task, ports = hearing.task, hearing.ports
    about = {**_principles(task, ports), **await tell_before(task, ports)}
    asked = replace(_ask("custodiet", task, about, ports), refuse=CustodietAnswer.contradiction)
    role = ports.workflow(task).review.role
    try:
        async with with_look(asked, ports, role=role, turns=None) as asked:
            says, spent = await ports.llm.ask(asked, CustodietAnswer)
    except NoAnswer as failed:
        hearing.silent.append(failed)
        return CustodietSays(verdict=Custodiet.NO_VERDICT, why_none=failed.what)
    hearing.models[Side.CUSTODIET] = spent.model
    if why := says.contradiction():
        return CustodietSays(verdict=Custodiet.NO_VERDICT, why_none=why)
    if says.verdict is Custodiet.NO_VERDICT:
        return CustodietSays(verdict=Custodiet.NO_VERDICT, why_none="It could not assess the plan")
    return says.says()


async def _notes_cited(task: Task, ports: Ports) -> list[Principle]:
    """What people of the project confirmed may be cited like a principle, by its name."""
    shelf = await ports.knowledge.shelf(task.project or "", task.work.base)
    return [Principle(id=note.name, title=note.title) for note in shelf.notes if note.status is Status.ESTABLISHED]


async def _advice(hearing: _Hearing) -> tuple[Advice, ...]:
    task, ports = hearing.task, hearing.ports
    tags = task.plan.draft.tags if task.plan.draft else frozenset()
    chosen = [] if task.plan.short else [each for each in ports.specialists if each.domains & tags]
    return tuple(await asyncio.gather(*(_specialist(task, who, ports) for who in chosen)))


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
    paths = await ports.projects.files(task.project or "")
    return with_grounds(says.argues(side), task.request.text, paths), spent


def _concern(review: Review, side: Side) -> str:
    critic, custodiet = review.critic, review.custodiet
    if side is Side.CRITIC:
        return f"{critic.verdict}: {'; '.join((*map(str, critic.issues), *critic.changes)) or 'nothing to change'}"
    return f"{custodiet.verdict}: {custodiet.issue or 'nothing to change'} {custodiet.suggestion}".strip()
