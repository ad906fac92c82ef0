"""A minion on a command-line agent, while the bot with its gateway, the program or its sandbox is killed.

The folder, the book of calls and the sandbox are real; the provider is a process of its own, which notes what it was
asked. The program is the real one, or a script of ours that asks three times and hands in.
"""

import asyncio
import os
import random
import shutil
import signal
import sqlite3
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from agents.domain.models.money import Budgets
from agents.domain.models.routing import Model
from agents.domain.workflow.roles import Base, EngineName, bare
from agents.llm.relay.lender import Lendings
from agents.minions.by_role import EngineMinions
from agents.minions.engines import ProgramServices
from agents.minions.engines.cli.starting import remove_leftovers
from agents.ports import Finished, Program
from agents.workspace.sandbox.bubblewrap import Bubblewrap
from agents.workspace.sandbox.walls import CLI, find_tools
from bot.services import SystemClock
from store.database import Database
from store.running.calls import CallState
from store.running.port_adapters import CallLog
from tests.conformance.cli_rig import own, programs, run, write
from tests.fakes.engine_provider import FixedPrices
from tests.fakes.llm import ScriptedTalker
from tests.fakes.model_server import KEY, LEAST_CACHED, ModelServer, Says, Seen
from tests.fakes.program import MODELS, WIRES, lay_program
from tests.faults.killing import TICK, Mortal, Ready, living, until
from tests.minions.field import Field, laid_out, sample_checkout

DOES = """
for part in ("one", "two", "three"):
    ask(part + prompt[-500:])
    pathlib.Path("shortlinks/" + part + ".py").write_text("x = 1")
call("task_complete", summary="It is done.", handoff_note="")
end(ask("done"))
"""
PATIENCE = 180.0


@dataclass
class Trial:
    """`kills`: steps of the bot's loop; `stab`: what else is killed, and after how many seconds of the program.
    `number`: which of its like; 0 is a calm one."""

    engine: EngineName
    kills: list[int] = field(default_factory=list)
    stab: str = ""  # program, sandbox
    after: float = 0.0
    real: bool = False
    number: int = 0
    steps: int = 0
    died: int = 0
    stabbed: int = 0
    wrongs: list[str] = field(default_factory=list)


def trials(engine: EngineName, count: int, steps: int, seed: int, *, real: bool = False) -> list[Trial]:
    """Three in four kill the bot, once or twice; the others what runs beside it."""
    chance = random.Random(f"{seed} {engine}")
    made = []
    for number in range(count):
        kills = [chance.randint(1, max(2, int(steps * 0.9))) for _ in range(chance.choice((1, 1, 2)))]
        stab = ("", "", "program", "sandbox")[number % 4]
        plain = [] if stab and chance.random() < 0.5 else kills
        made.append(Trial(engine, plain, stab, chance.random() * (2 if real else 0.3), real, number + 1))
    return made


def work_through(trial: Trial) -> Trial:
    home = Path(tempfile.mkdtemp(prefix="overlord-kill-program-"))
    asked = home / "asked.txt"
    try:
        sample_checkout(home)
        with provider(trial, home, asked) as url:
            mortal = Mortal(_bot(trial, home, url), home / "bot.log", list(trial.kills))
            with living(mortal):
                _wait(trial, mortal, home)
                trial.steps, trial.died = mortal.steps.made, mortal.died
            time.sleep(3 * TICK)  # for its last line
            trial.wrongs += _wrongs(trial, home, asked)
    except AssertionError as problem:
        trial.wrongs.append(str(problem))
    if trial.wrongs:
        trial.wrongs.append(f"what it left behind: {home}")
    else:
        shutil.rmtree(home)
    return trial


@contextmanager
def provider(trial: Trial, home: Path, asked: Path) -> Iterator[str]:
    """In a process of its own. A line for each request that it answered: what came in, in tokens."""

    def answer(seen: Seen) -> Says:
        if not trial.real:
            return Says(text="Go on.", wait=0.05)
        root = str(home / "tree")
        turns = (
            write(trial.engine, f"{root}/shortlinks/one.py", "x = 1\n"),
            run(trial.engine, "sleep 0.2"),
            own(trial.engine, "task_complete", summary="It is done.", handoff_note=""),
        )
        spoken = sum(message["role"] == "assistant" for message in seen.talk)
        return Says(calls=(turns[min(spoken, 2)],), finish="tool_calls")

    async def main(ready: Ready) -> None:
        async with ModelServer(wire=WIRES[trial.engine], models=(MODELS[trial.engine],)) as server:
            server.answers("any", answer)
            ready(server.url)
            while True:  # it is killed at its end
                asked.with_suffix(".new").write_text("\n".join(map(_told_tokens, server.seen)))
                asked.with_suffix(".new").replace(asked)
                await asyncio.sleep(TICK)

    with living(Mortal(main, home / "provider.log")) as served:
        yield served.address


def _told_tokens(seen: Seen) -> str:
    """As the provider says in its answer: what is marked to be kept counts with what stands around it."""
    marked = max((len(mark) for mark in (seen.heard.marks if seen.heard else None) or ()), default=0) // 4
    return str(max(seen.tokens, marked if marked >= LEAST_CACHED else 0))


def _bot(trial: Trial, home: Path, url: str) -> Any:
    async def main(ready: Ready) -> None:
        ready("at work")
        remove_leftovers()  # as the program does when it starts
        database = Database(f"sqlite:///{home / 'overlord.db'}")
        with closing(database):
            async with laid_out(home, found=True) as ground:
                minions = _minions(trial, home, url, ground, database)
                outcome = await minions.run(ground.brief(), ground.watch)
                with (home / "outcomes.txt").open("a") as out:
                    out.write(f"{outcome}\n")
            await asyncio.Event().wait()

    return main


def _minions(trial: Trial, home: Path, url: str, ground: Field, database: Database) -> EngineMinions:
    engine = trial.engine
    provider = {EngineName.CLAUDE: "anthropic", EngineName.CODEX: "openai", EngineName.GEMINI: "gemini"}[engine]
    asked = Model(name=f"{provider}/{MODELS[engine]}", base_url=url, api_key=KEY)
    calls = CallLog(database, SystemClock(), Budgets(), lambda task: None)
    lender = Lendings(prices=FixedPrices(), calls=calls, job="job-1", models={engine: asked})

    async def at_once(seconds: float) -> None:
        """Nobody has time."""

    played = lay_program(home / "layer", engine, DOES)
    program = Program(argv=(str(played),), version="1", readable=(played.parent,))
    find = programs().find if trial.real else lambda name: program
    here = ProgramServices(find=find, lender=lender, profile=CLI, wait=at_once)
    role = replace(bare(Base.IMPLEMENTER), engine=engine)
    ground.sandbox = Bubblewrap(tools=find_tools())  # with a guard of this life of the bot
    services = replace(ground.services(ScriptedTalker()), programs=here, role_of=lambda name: role)
    return EngineMinions(services=services)


def _wait(trial: Trial, mortal: Mortal, home: Path) -> None:
    """Until it handed in; what runs beside the bot is killed meanwhile."""
    seen = 0.0

    def ended() -> bool:
        nonlocal seen
        if trial.stab and not trial.stabbed:
            pids = _pids(trial.stab, home)
            seen = seen or (time.monotonic() if pids else 0.0)
            if pids and time.monotonic() - seen >= trial.after:
                with suppress(ProcessLookupError):
                    os.kill(pids[0], signal.SIGKILL)
                    trial.stabbed += 1
        told = home / "outcomes.txt"
        return told.exists() and told.read_text().endswith("\n")  # whole: it is there before its line is

    until(ended, mortal, what="the work is handed in", patience=PATIENCE)


def _wrongs(trial: Trial, home: Path, asked: Path) -> Iterator[str]:
    outcomes = set((home / "outcomes.txt").read_text().splitlines())
    if outcomes != {str(Finished(summary="It is done.", note=""))}:
        yield f"it ended with {outcomes}"
    deadline = time.monotonic() + 10
    while (left := _pids("any", home)) and time.monotonic() < deadline:
        time.sleep(0.1)
    if left:
        yield f"processes are left: {left}"
    yield from _wrong_money(trial, home, [int(line) for line in asked.read_text().split()])


def _wrong_money(trial: Trial, home: Path, served: list[int]) -> Iterator[str]:
    """What was answered while somebody died is counted at most once, or estimated where its end was not told; all else
    is counted exactly once."""
    with closing(sqlite3.connect(home / "overlord.db")) as book:
        rows = book.execute("SELECT step, state, attempts, tokens_in, cost FROM calls").fetchall()
        turns = book.execute("SELECT run, number FROM turns").fetchall()
    lost = trial.died + 2 * trial.stabbed
    attempts, tokens = sum(row[2] for row in rows), sum(row[3] for row in rows)
    if len({row[0] for row in rows}) != len(rows) or len(set(turns)) != len(turns):
        yield "a step or a turn stands twice"
    if not len(served) <= attempts <= len(served) + lost:
        yield f"{len(served)} were served, {attempts} are in the book, {lost} may be lost"
    least = sum(sorted(served)[: max(0, len(served) - lost)])
    if not least <= tokens <= sum(served) + lost * max(served, default=0):
        yield f"{sum(served)} tokens were served and {tokens} are counted"
    if abs(sum(row[4] for row in rows) - sum(row[3] for row in rows) * 1e-6) > sum(served) * 1e-6:
        yield "dollars do not fit tokens"
    open = [row[0] for row in rows if row[1] == CallState.RESERVED]
    if len(open) > lost:
        yield f"{open} are still promised"


def _pids(kind: str, home: Path) -> list[int]:
    """Processes of this trial's sandbox: they show its folders among their arguments."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            line = (folder / "cmdline").read_bytes().split(b"\0")
            name = Path(os.fsdecode(line[0])).name
            wall = name in ("bwrap", "setpriv", "prlimit", "sh", "bash")
            mine = any(os.fsencode(home) in part for part in line) or _stands_in(folder, home)
            fits = {"program": not wall and "-c" not in map(os.fsdecode, line), "sandbox": name == "bwrap", "any": True}
            if mine and int(folder.name) != os.getpid() and fits[kind]:
                found.append(int(folder.name))
    return found


def _stands_in(folder: Path, home: Path) -> bool:
    return (folder / "cwd").readlink().is_relative_to(home / "tree")


def told(trial: Trial) -> str:
    beside = f"{trial.stab} after {trial.after:.2f} s" if trial.stab else "nothing else"
    return "\n  ".join([f"{trial.engine}: bot killed after {trial.kills} steps, {beside}", *trial.wrongs])
