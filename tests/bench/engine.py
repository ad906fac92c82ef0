"""A turn of the built-in engine beside litellm.acompletion in a bare loop: the same route, tools and provider.

In a turn of ours: the call is reserved and its budget checked in one transaction, its answer kept in a second, the tool
run beneath the worktree, and the turn written in a third, all on disk (SQLite, synchronous=FULL) before the model is
asked again; they share a commit, for the minion only looks. The bare loop appends to a list and keeps nothing. Both
read a file of 2 KB in each of 50 turns. `late` is of the last ten turns alone: what a turn costs beside litellm must
not grow with the talk. The bare loop's model has another name (see ask.py).
"""

import asyncio
import json
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import Any

from agents.domain.limits import Limits
from agents.domain.models.money import Budgets
from agents.domain.models.routing import Model, Served
from agents.domain.planning.decomposition import Subtask
from agents.domain.planning.work_kind import WorkKind
from agents.domain.skills.skill import Skill
from agents.domain.task.wishes import Wish
from agents.domain.work.work import Work
from agents.llm.answers import tool_schemas
from agents.llm.client import JobLlm, Models
from agents.llm.gateway import Gateway
from agents.llm.prompts import Prompts
from agents.minions.by_role import EngineMinions
from agents.minions.engines import EngineServices
from agents.minions.engines.builtin.tools import TOOLS
from agents.ports import Brief, Checkout, GaveUp, Progress, Sandbox, Workspace
from agents.workspace.files.safe_open import Tree
from agents.workspace.sandbox.walls import MINION
from bot.app import TURN
from bot.services import SystemClock
from store.database import Database
from store.running.port_adapters import CallLog, TurnLog
from tests.bench.ask_walk import REQUEST, files_of
from tests.bench.floor import folder
from tests.bench.rows import Row, Say, compared, in_turn
from tests.fakes.model_server import KEY, LARGE, SMALL
from tests.llm.rig import task
from tests.sandbox.yard import bubblewrap

ROUNDS, TURNS, LATE = 5, 50, 10
MOST = 1.2
ROUTES = ("hosted_vllm", "openai")
SUBTASK = Subtask(
    number=1, title="Count failed tries", why="what is not counted cannot be limited", kind=WorkKind.FEATURE
)


def run(say: Say) -> list[Row]:
    sys.setswitchinterval(TURN)  # as the program does
    with folder() as place, provider() as url:
        return [row for route in ROUTES for row in asyncio.run(_measure(route, url, place, say))]


@contextmanager
def provider() -> Iterator[str]:
    command = [sys.executable, "-m", "tests.bench.engine_provider"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        yield process.stdout.readline().strip()
        process.communicate(timeout=10)


async def _measure(route: str, url: str, place: Path, say: Say) -> list[Row]:
    model, bare = (Model(name=f"{route}/{name}", base_url=url, api_key=KEY) for name in (LARGE, SMALL))
    tree = place / route
    tree.mkdir()
    (tree / "notes.txt").write_text("".join(f"line {n} of the notes that a minion reads\n" for n in range(50)))
    models = _models(model)
    await models.gateway.warm()
    database = Database(f"sqlite:///{place / f'{route}.db'}")
    ours: list[list[float]] = []
    theirs: list[list[float]] = []
    for number in range(-1, ROUNDS):
        opening: list[dict[str, Any]] = [
            {"role": "system", "content": "s" * 3_000},
            {"role": "user", "content": "u" * 1_000},
        ]
        for side in in_turn(number, "ours", "theirs"):
            if side == "ours":
                taken = await _engine(models, database, tree, number)
            else:
                taken = await _bare(bare, opening, tree)
            if number >= 0:  # the first warms up
                (ours if side == "ours" else theirs).append(taken)
        if ours:
            our, their = (_typical(side[-1]) * 1e3 for side in (ours, theirs))
            say(f"{route}, round {number}: {our:.2f} beside {their:.2f} ms a turn")
    await asyncio.to_thread(database.close)
    beside = "litellm.acompletion in a bare loop"
    whole = compared(f"turn_{route}", [*map(_typical, ours)], [*map(_typical, theirs)], beside=beside, most=MOST)
    late = [[_typical(each[-LATE:]) for each in side] for side in (ours, theirs)]
    return [whole, compared(f"turn_late_{route}", *late, beside=beside, most=MOST)]


def _models(model: Model) -> Models:
    prompts = Prompts(b"bench", files=files_of)
    chosen = {"primary": Served(models=(model,), why="")}
    return Models(chosen=chosen, prompts=prompts, clock=SystemClock(), limits=Limits(), gateway=Gateway())


async def _engine(models: Models, database: Database, tree: Path, number: int) -> list[float]:
    async def pack(brief: Brief) -> str:
        return ""

    async def skills_of(brief: Brief) -> Sequence[Skill]:
        return ()

    marks = [time.perf_counter()]

    async def watch(progress: Progress) -> Sequence[Wish]:
        marks.append(time.perf_counter())
        return ()

    async def sandbox() -> Sandbox:
        return bubblewrap()

    calls = CallLog(database, SystemClock(), Budgets(), lambda task: None)
    services = EngineServices(
        talker=JobLlm(models=models, job=f"job {number}", calls=calls), sandbox=sandbox, profile=MINION,
        turns=TurnLog(database, SystemClock()), limits=Limits(), files=Tree, render=models.prompts.text, pack=pack,
        skills_of=skills_of,
    )  # fmt: skip
    checkout = Checkout(project="bench", branch="b", base="0", head="0", workspace=Workspace(path=tree))
    about = task(number + 2, request=REQUEST)
    brief = Brief(task=about, subtask=SUBTASK, work=Work(number=1, attempt=1), checkout=checkout)
    outcome = await EngineMinions(services=services).run(brief, watch)
    assert isinstance(outcome, GaveUp) and outcome.ending == "turns", outcome
    return [after - before for before, after in pairwise(marks)]


async def _bare(model: Model, messages: list[dict[str, Any]], tree: Path) -> list[float]:
    import litellm

    taken, tools = [], json.loads(tool_schemas(tuple(TOOLS.values())))
    for _ in range(TURNS):
        before = time.perf_counter()
        reply: Any = await litellm.acompletion(
            model=model.name, messages=list(messages), api_base=model.base_url, api_key=model.api_key, tools=tools,
            timeout=60, max_retries=0, num_retries=0,
        )  # fmt: skip
        call = reply.choices[0].message.tool_calls[0]
        text = (tree / json.loads(call.function.arguments)["path"]).read_text()
        function = {"name": call.function.name, "arguments": call.function.arguments}
        asked = {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": call.id, "type": "function", "function": function}],
        }
        messages += [asked, {"role": "tool", "tool_call_id": call.id, "content": text}]
        taken.append(time.perf_counter() - before)
    return taken


def _typical(seconds: Sequence[float]) -> float:
    return median(seconds)
