"""Let two reviewers who disagree answer each other with evidence, at most twice."""

import asyncio
from collections.abc import Sequence
from functools import partial

from pydantic import BaseModel, Field

from agents.domain.decisions.kind import Moment
from agents.domain.errors import BudgetReached, NoAnswer
from agents.domain.events import Event, ReviewersDisagreed
from agents.domain.planning import planning
from agents.domain.planning.debate import Argument, Debate, Position, Round, Side
from agents.domain.planning.verdicts import Review
from agents.domain.task.task import Task, TaskState
from agents.flows.lines import Line
from agents.flows.outcomes import got
from agents.ports import Ask, Ports, Spent


class DebateAnswer(BaseModel):
    """Evidence is a quote of the request, a path of the plan, or path:line."""

    position: Position
    point: str = Field(min_length=1, max_length=400)
    evidence: list[Line] = Field(default=[], max_length=5)


async def debate(event: Event, ports: Ports) -> None:
    assert isinstance(event, ReviewersDisagreed)
    seen = await ports.store.task(event.task)
    if not planning.stands_at(seen, TaskState.IN_REVIEW):
        await ports.store.record(seen.id, planning.nothing)
        return
    rule = planning.after_debate

    try:
        await _argue_on(seen, ports)
    except NoAnswer:
        pass  # what there is goes to a person
    except BudgetReached:
        rule = planning.without_debate

    def decide(task: Task, moment: Moment) -> Sequence[Event]:
        if planning.overtaken(seen, task) or task.plan.debate is None:
            return []
        return rule(task, task.plan.debate, moment)

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
    (one, spent), (other, also) = got(critic), got(custodiet)
    return Round(number=number, critic=one, custodiet=other, cost=spent.cost + also.cost)


async def _argue(side: Side, number: int, task: Task, held: Debate, ports: Ports) -> tuple[Argument, Spent]:
    last = held.rounds[-1] if held.rounds else None
    other = Side.CUSTODIET if side is Side.CRITIC else Side.CRITIC
    about = {
        "side": side.value,
        "other": other.value,
        "mine": _concern(held.now, side),
        "theirs": (last.critic if other is Side.CRITIC else last.custodiet).point
        if last
        else _concern(held.now, other),
        "round": number,
    }
    step = f"debate:{side}:{task.plan.number}:{number}"
    policy = ports.workflow().plan_review.retry_policy
    asked = Ask(question="debate", role=side.value, step=step, task=task, about=about, policy=policy)
    says, spent = await ports.llm.ask(asked, DebateAnswer)
    argument = Argument(side=side, position=says.position, point=says.point, evidence=tuple(says.evidence))
    return argument, spent


def _concern(review: Review, side: Side) -> str:
    critic, custodiet = review.critic, review.custodiet
    if side is Side.CRITIC:
        return f"{critic.verdict}: {'; '.join((*critic.issues, *critic.changes)) or 'nothing to change'}"
    return f"{custodiet.verdict}: {custodiet.issue or 'nothing to change'} {custodiet.suggestion}".strip()
