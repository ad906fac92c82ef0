"""A whole review beside the slower of its two reviewers alone: they are asked side by side, so it takes no longer.

Both are the real client on the same provider, which thinks longer for the critic than for the custodiet. In the
review: reading the task, two questions, and the transaction that records what came of them.
"""

import asyncio
import time
from collections.abc import Awaitable
from dataclasses import replace
from pathlib import Path

from agents.flows.review_answers import CriticAnswer
from agents.ports import Ask
from store.running.jobs import Job
from tests.bench.floor import folder
from tests.bench.rows import Row, Say, compared, in_turn
from tests.fakes.model_server import ModelServer, Says
from tests.flows.planning import served
from tests.flows.world import Planning, planning
from tests.llm.rig import LOADED
from tests.scenarios.plans import GO, OK, plan

ROUNDS = 12
CRITIC, CUSTODIET = 0.5, 0.4  # seconds each of them thinks
MOST = 1.1


def run(say: Say) -> list[Row]:
    with folder() as place:
        return [asyncio.run(_measure(place, say))]


async def _measure(place: Path, say: Say) -> Row:
    await LOADED.warm()
    both, alone = [], []
    async with ModelServer() as server:
        server.answers("decompose", plan("Show a form"))
        server.answers("critic", Says(value=GO, wait=CRITIC))
        server.answers("custodiet", Says(value=OK, wait=CUSTODIET))
        for number in range(-1, ROUNDS):
            (place / str(number)).mkdir()
            async with planning(place / str(number), served(server)) as world:
                await world.run_next("intake", "decompose")
                job = await world.next_job()
                sides = {"review": world.run(job), "critic": _alone(world, job)}
                took = {name: await _timed(sides[name]) for name in in_turn(number, *sides)}
            say(f"round {number}: review {took['review'] * 1e3:.0f}, critic alone {took['critic'] * 1e3:.0f} ms")
            if number >= 0:  # the first warms up
                both.append(took["review"])
                alone.append(took["critic"])
    return compared("review_wall", both, alone, beside="the critic alone, who thinks longer", most=MOST)


async def _alone(world: Planning, job: Job) -> None:
    task = await world.now()
    asked = Ask(question="critic", role="critic", step="alone", task=task, about={}, policy="conservative")
    await world.llm(replace(job, id="alone")).ask(asked, CriticAnswer)


async def _timed(side: Awaitable[None]) -> float:
    before = time.perf_counter()
    await side
    return time.perf_counter() - before
