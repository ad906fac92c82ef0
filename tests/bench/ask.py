"""Our ask beside litellm.acompletion: the same route, the same messages, the same provider, a process by itself.

In an ask of ours, as the program is set up by default: the prompt of a task with 300 files is rendered from its
templates, the call is reserved and its model's circuit looked at in one transaction, the answer is read strictly, and
cost and answer are kept in another, both on disk (SQLite, synchronous=FULL) before the next step. The other side sends
messages that are rendered already and keeps nothing. Four at once on both sides, as reviewers ask. We tell litellm what
a server of one's own costs, which spares it a search at each answer; the other side's model has another name, so that
it is asked as anybody would ask it.
"""

import asyncio
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from agents.domain.ids import TaskId
from agents.domain.limits import Limits
from agents.domain.models.money import Budgets
from agents.domain.models.routing import Model, Served
from agents.domain.planning.facts import PlanState
from agents.llm.answers import schema_for
from agents.llm.client import JobLlm, Models
from agents.llm.gateway import Gateway
from agents.llm.prompts import Prompts
from agents.ports import Ask
from bot.app import TURN
from bot.services import SystemClock
from store.database import Database
from store.running.port_adapters import CallLog
from tests.bench.ask_walk import REQUEST, files_of, plan
from tests.bench.floor import folder
from tests.bench.rows import Row, Say, compared, in_turn
from tests.fakes.model_server import KEY, LARGE, SMALL
from tests.llm.rig import task

ROUNDS, ASKS = 40, 24  # short rounds in turn: what else the machine does hits both sides
AT_ONCE = 4  # a plan has two to five reviewers at once
ASKS_A_TASK = 12
SETTLE = 0.05  # seconds: litellm works on after a call has returned, and that must not burden the other side
MOST = 1.2
ROUTES = ("hosted_vllm", "openai")
TASK = task(request=REQUEST, plan=PlanState(draft=plan(1), number=1))
ASKED = Ask(question="custodiet", role="custodiet", step="custodiet", task=TASK, about={})


class Verdict(BaseModel):
    verdict: str
    issue: str = ""


def run(say: Say) -> list[Row]:
    sys.setswitchinterval(TURN)  # as the program does
    with folder() as place, provider() as url:
        return [asyncio.run(_measure(route, url, place, say)) for route in ROUTES]


@contextmanager
def provider() -> Iterator[str]:
    command = [sys.executable, "-m", "tests.bench.ask_provider"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        yield process.stdout.readline().strip()
        process.communicate(timeout=10)


async def _measure(route: str, url: str, place: Path, say: Say) -> Row:
    model, bare = (Model(name=f"{route}/{name}", base_url=url, api_key=KEY) for name in (LARGE, SMALL))
    prompts = Prompts(b"bench", files=files_of)
    gateway = Gateway()
    models = Models(
        chosen={"custodiet": Served(models=(model,), why="")}, prompts=prompts, clock=SystemClock(), limits=Limits(),
        gateway=gateway,
    )  # fmt: skip
    await gateway.warm()
    prompt = await prompts.prompt(ASKED, schema_for(Verdict, "0" * 16), "0" * 16)
    messages = prompt.messages(marked=False)
    database = Database(f"sqlite:///{place / f'{route}.db'}")
    calls = CallLog(database, SystemClock(), Budgets(), lambda task: None)
    ours, theirs = [], []
    for number in range(-1, ROUNDS):
        sides = {"our": partial(_asks, models, calls, number), "their": partial(_bare, bare, messages)}
        took = {name: await sides[name]() for name in in_turn(number, *sides)}
        our, their = took["our"], took["their"]
        if number % 10 == 0:
            say(f"{route}, round {number}: ask {our * 1e3:.2f}, acompletion {their * 1e3:.2f} ms")
        if number >= 0:  # the first warms up
            ours.append(our)
            theirs.append(their)
    await asyncio.to_thread(database.close)
    return compared(f"ask_{route}", ours, theirs, beside="litellm.acompletion, same messages", most=MOST)


async def _asks(models: Models, calls: CallLog, number: int) -> float:
    async def ask(n: int) -> None:
        asked = replace(ASKED, task=replace(TASK, id=TaskId(f"T-{number * ASKS + n // ASKS_A_TASK}")))
        await JobLlm(models=models, job=f"{number}:{n}", calls=calls).ask(asked, Verdict)

    return await _per_call(ask)


async def _bare(model: Model, messages: list[dict[str, Any]]) -> float:
    import litellm

    async def ask(n: int) -> None:
        await litellm.acompletion(
            model=model.name, messages=list(messages), api_base=model.base_url, api_key=model.api_key,
            timeout=60, max_retries=0, num_retries=0,
        )  # fmt: skip

    return await _per_call(ask)


async def _per_call(ask: Callable[[int], Awaitable[None]]) -> float:
    async def lane(first: int) -> None:
        for n in range(first, ASKS, AT_ONCE):
            await ask(n)

    await asyncio.sleep(SETTLE)
    before = time.perf_counter()
    await asyncio.gather(*(lane(first) for first in range(AT_ONCE)))
    return (time.perf_counter() - before) / ASKS
