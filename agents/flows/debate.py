"""Let two reviewers who disagree answer each other with evidence, at most twice."""

import asyncio
from collections.abc import Sequence

from pydantic import BaseModel, Field

from agents.domain import planning
from agents.domain.asking import Moment
from agents.domain.debate import Argument, Debate, Position, Round, Side, after_round
from agents.domain.errors import BudgetReached, NoAnswer
from agents.domain.events import Event, ReviewersDisagreed
from agents.domain.task import Task, TaskState
from agents.domain.verdicts import Review
from agents.flows.outcomes import got
from agents.ports import Ask, Ports, Spent


class DebateAnswer(BaseModel):
    """M260. Evidence is a quote of the request, a path of the plan, or path:line."""

    position: Position
    point: str = Field(min_length=1, max_length=400)
    evidence: list[str] = Field(default=[], max_length=5)


async def debate(event: Event, ports: Ports) -> None:
    assert isinstance(event, ReviewersDisagreed)
    seen = await ports.store.task(event.task)
    if not planning.stands_at(seen, TaskState.IN_REVIEW):
        await ports.store.record(seen.id, planning.nothing)
        return
    held, rule = Debate(began=event.review, now=event.review), planning.after_debate
    paths = seen.plan.paths if seen.plan else ()

    try:
        while not held.over and len(held.rounds) < ports.limits.debate_rounds:
            round, cost = await _round(seen, held, ports)
            held = _with_cost(after_round(held, round, seen.request, paths), cost)
    except NoAnswer:
        pass  # what there is goes to a person
    except BudgetReached:
        rule = planning.without_debate

    def decide(task: Task, moment: Moment) -> Sequence[Event]:
        return [] if planning.overtaken(seen, task) else rule(task, held, moment)

    await ports.store.record(seen.id, decide)


async def _round(task: Task, held: Debate, ports: Ports) -> tuple[Round, float]:
    number = len(held.rounds) + 1
    critic, custodiet = await asyncio.gather(
        _argue(Side.CRITIC, number, task, held, ports),
        _argue(Side.CUSTODIET, number, task, held, ports),
        return_exceptions=True,
    )
    (one, spent), (other, also) = got(critic), got(custodiet)
    return Round(number=number, critic=one, custodiet=other), spent.cost + also.cost


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
    step = f"debate:{side}:{task.plan_number}:{number}"
    asked = Ask(question="debate", role=side.value, step=step, task=task, about=about, policy="review")
    says, spent = await ports.llm.ask(asked, DebateAnswer)
    argument = Argument(side=side, position=says.position, point=says.point, evidence=tuple(says.evidence))
    return argument, spent


def _concern(review: Review, side: Side) -> str:
    critic, custodiet = review.critic, review.custodiet
    if side is Side.CRITIC:
        return f"{critic.verdict}: {'; '.join((*critic.issues, *critic.changes)) or 'nothing to change'}"
    return f"{custodiet.verdict}: {custodiet.issue or 'nothing to change'} {custodiet.suggestion}".strip()


def _with_cost(held: Debate, cost: float) -> Debate:
    return Debate(began=held.began, rounds=held.rounds, now=held.now, cost=held.cost + cost)
