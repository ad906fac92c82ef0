"""The same five scripted tasks by each engine: calls, tokens and seconds; written into docs/engines-compared.md.

As a program of its own: `python -m tests.bench.engines_compared`. The provider is a strict fake of each engine's own
wire that counts tokens alike, so what differs is what an engine says beside the task: its prompt, its tools, its turns.
"""

import asyncio
import json
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from agents.domain.limits import Limits
from agents.domain.models.routing import Served
from agents.domain.workflow.roles import TITLES, EngineName
from agents.llm.client import JobLlm, Models
from agents.llm.gateway import Gateway
from agents.llm.prompts import Prompts
from agents.minions.engines import EngineServices
from agents.ports import Asked, Finished
from bot.services import SystemClock
from tests.conformance.cli_rig import CliRig, is_here, programs
from tests.conformance.minions_rig import Act, Ask, BuiltInRig, Finish, Run, Write, minions
from tests.fakes.engine_provider import MemoryBook, ProviderThread
from tests.fakes.model_server import Says
from tests.llm.rig import SECRET, files
from tests.minions.field import Field, laid_out

PAGE = Path(__file__).parents[2] / "docs" / "engines-compared.md"
MODEL = "claude-sonnet-5"
GATEWAY = Gateway()
DONE = Finish("It is done.")
BAD = Write("shortlinks/bad.py", "x =\n")
TRY = Run("python3 -c 'import shortlinks'")
ANSWER: dict[str, Any] = {"answer": "B, please.", "questions": 1, "since": ("B, please.",)}
# Each task: what a model does, turn by turn. Where it asks, it goes on in a second start with the answer.
TASKS: Mapping[str, tuple[Sequence[Act], ...]] = {
    "write one file": ((Write("shortlinks/one.py", "one = 1\n"), DONE),),
    "write five files": ((*(Write(f"shortlinks/f{n}.py", f"f = {n}\n") for n in range(5)), DONE),),
    "write, try, correct": (
        (
            Write("shortlinks/bad.py", "x ="),
            Run("python3 shortlinks/bad.py"),
            Write("shortlinks/good.py", "x = 1\n"),
            TRY,
            DONE,
        ),
    ),
    "ten commands": ((*(Run(f"grep -rn def shortlinks | head -{n}") for n in range(1, 11)), DONE),),
    "ask, then finish": (
        (Write("shortlinks/asked.py", "name = 'A'\n"), Ask("Which name?", ("A", "B"))),
        (Write("shortlinks/answered.py", "name = 'B'\n"), DONE),
    ),
}


@dataclass(slots=True, kw_only=True)
class Took:
    calls: int = 0
    tokens: int = 0
    seconds: float = 0.0

    def add(self, book: MemoryBook, seconds: float) -> None:
        self.calls += len(book.ended)
        self.tokens += sum(each.tokens_in for each in book.ended)
        self.seconds += seconds


@dataclass
class OwnRig:
    """The built-in engine with a real model's wire in place of a scripted talker."""

    acts: Sequence[Act]
    book: MemoryBook = field(default_factory=MemoryBook)
    provider: ProviderThread = field(init=False)

    def __post_init__(self) -> None:
        turns = [BuiltInRig([act]).turn_of(act) for act in self.acts]
        self.provider = ProviderThread("anthropic", MODEL, [_says(turn) for turn in turns])
        self.provider.__enter__()

    def services(self, ground: Field) -> EngineServices:
        served = Served(models=(self.provider.asked(MODEL),), why="")
        models = Models(
            chosen={"primary": served}, prompts=Prompts(SECRET, files=files), clock=SystemClock(), limits=Limits(),
            gateway=GATEWAY,
        )  # fmt: skip
        return ground.services(JobLlm(models=models, job="job", calls=self.book))

    def told(self) -> str:
        return ""

    def turns(self) -> int:
        return len(self.provider.server.seen)

    def close(self) -> None:
        self.provider.__exit__(None, None, None)


def _says(turn: Sequence[tuple[str, Any]]) -> Says:
    calls = tuple((name, json.dumps(given)) for name, given in turn)
    return Says(calls=calls, finish="tool_calls")


async def play(engine: EngineName, scripts: Sequence[Sequence[Act]]) -> Took:
    """One task, on a field of its own. What the engine may not finish fails here."""
    took = Took()
    with tempfile.TemporaryDirectory(prefix="overlord-compared-") as made:
        async with laid_out(Path(made)) as ground:
            for at, acts in enumerate(scripts):
                rig: CliRig | OwnRig = OwnRig(acts) if engine is EngineName.BUILTIN else CliRig(engine, acts)
                try:
                    began = time.monotonic()
                    run = minions(engine, rig, ground)
                    outcome = await run.run(ground.brief(**(ANSWER if at else {})), ground.watch)
                    took.add(rig.book, time.monotonic() - began)
                finally:
                    await asyncio.to_thread(rig.close)
                wanted = Finished if at == len(scripts) - 1 else Asked
                assert isinstance(outcome, wanted), f"{engine}: {outcome}"
    return took


async def main() -> int:
    engines = [engine for engine in EngineName if engine is EngineName.BUILTIN or is_here(engine)]
    await GATEWAY.warm()  # litellm takes seconds to load, once a program
    found: dict[tuple[str, EngineName], Took] = {}
    for task, scripts in TASKS.items():
        for engine in engines:
            found[task, engine] = took = await play(engine, scripts)
            print(f"{task}, {TITLES[engine]}: {took}", flush=True)
    if set(engines) == set(EngineName):
        PAGE.write_text(page(found))
    return 0


def page(found: Mapping[tuple[str, EngineName], Took]) -> str:
    versions = ", ".join(f"{TITLES[e]} {programs().find(e).version}" for e in EngineName if e is not EngineName.BUILTIN)
    rows = [
        f"| {task} | {TITLES[engine]} | {of.calls} | {of.tokens:,} | {of.seconds:.1f} s |"
        for (task, engine), of in found.items()
    ]
    return "\n".join((HEAD.format(versions=versions), *rows, TAIL))


HEAD = """# Engines compared: five scripted tasks

The same turns of a model, played to each engine by a strict fake of its provider, in the sandbox, on one machine. How
clever a model is, is not in it: what differs is what an engine says to its model beside the task, and how long it takes
to start and to act. {versions}.

`make bench ARGS="--only engines_compared"` measures it anew and writes this page; `make bench ARGS="--only engines"`
fetches the programs first. Your own work says more: `overlord metrics` shows what engines came to
([metrics](metrics.md)).

| task | engine | calls | tokens read | time |
|---|---|---|---|---|"""
TAIL = """
Tokens are counted by the fake, four letters each, whatever a provider keeps of a prompt. An engine that asks once more
before it ends (its last words, a reminder) has more calls than the task has turns.
Seconds are of one machine on one day: compare rows, not pages.
"""


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
