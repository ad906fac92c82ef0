"""Three well-behaved tasks, over and over, beside a minion that tries to use up the machine; and without it.

`python -m tests.bench.soak MINUTES` is both parts, each in a process of its own with the whole program, real sandbox
and gates; models are played. A quarter of the time, in turns, there is no hostile minion: that is what the rest is
compared with.
Every bomb stops by itself at a few hundred megabytes, and the limits of all minions are small.
"""

import asyncio
import itertools
import json
import os
import shlex
import subprocess
import sys
import textwrap
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from statistics import quantiles
from typing import Any

from agents.domain.decisions.authority import Kind
from agents.domain.task.task import Task
from agents.llm.gateway import Gateway
from agents.minions.by_role import EngineMinions
from agents.ports import Ask, Converse, Keep, Llm, Ports, Said, Shape, Spent, Talker, ToolCall
from agents.workspace.files.untrusted import remove, walk
from agents.workspace.projects import lay_out_sample
from agents.workspace.sandbox.processes import resource_limits
from agents.workspace.sandbox.walls import MB
from bot.app import Program, running
from bot.config.settings_source import load_settings
from bot.messages import Choice, Pressed
from bot.queries import Need
from manifests import packaged_path
from tests.bench.floor import folder
from tests.bench.rows import Row, Say, in_turn
from tests.fakes.llm import ScriptedLlm, free, written
from tests.fakes.work import with_services
from tests.sandbox import bombs
from tests.sandbox.yard import git, left
from tests.scenarios.console_stage import ConsoleStage
from tests.scenarios.plans import GO, OK, Says, subtask
from tests.scenarios.stage import until

MINUTES = 30.0
ROUNDS = 5  # with and without take turns, so that a slow minute of the machine hits both
MOST = 3.0  # times the p99 of a press without the hostile minion
PRESSES = 4.0  # a second
PATIENCE = 600.0  # seconds for three tasks; machines are shared
COMMAND = 20  # seconds that a bomb may last
STATE_MOST = 300 * MB  # of what is left in the state folder
REQUESTS = ("Let links expire after a chosen number of days", "Let people choose their own short code")
WELL = {"shop-a": REQUESTS[0], "shop-b": REQUESTS[1], "shop-c": REQUESTS[0]}
HOSTILE, TARGET = "Use up the machine", "shop-d"
PLAN: Says = {
    "status": "COMPLETE",
    "goal": "It is used up",
    "subtasks": [subtask("Do it", files=["shortlinks/new.py"])],
}
BOMBS = {**bombs.MEMORY, **bombs.DISK, **bombs.REFUSED}
CONFIG = "limits: {minions: 8, minions_per_project: 8, quota_per_person: 10000, quota_per_channel: 10000}\nprojects:\n"


def run(say: Say, minutes: float = MINUTES) -> list[Row]:
    rounds = max(1, min(ROUNDS, int(minutes / 3)))
    quiet, hostile = _Sum(), _Sum()
    for number in range(rounds):
        for total, share in in_turn(number, (quiet, 15), (hostile, 45)):
            with folder() as place:
                total.add(_part(place, minutes * share / rounds, say, hostile=total is hostile))
    ours, theirs = _p99(hostile.presses), _p99(quiet.presses)
    problems = [*quiet.problems, *hostile.problems]
    unhurt = [name for name in (*bombs.MEMORY, *bombs.DISK) if not hostile.ended[name]]
    problems += [f"{name} never broke a limit" for name in unhurt]
    say(f"merged {quiet.merged} and {hostile.merged}; ended: {dict(hostile.ended)}")
    beside = f"{len(quiet.presses)} and {len(hostile.presses)} presses, {minutes:g} min"
    return [
        Row(name="soak_press_p99", ours=ours * 1e3, theirs=theirs * 1e3, ratio=ours / theirs, beside=beside, most=MOST),
        Row(name="soak", ours=minutes * 60, unit="s", holds=not problems, failed="; ".join(problems)),
    ]


@dataclass(slots=True)
class _Sum:
    """What the parts of one kind came to together."""

    presses: list[float] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    ended: Counter[str] = field(default_factory=Counter)
    merged: int = 0

    def add(self, part: dict[str, Any]) -> None:
        self.presses += part["presses"]
        self.problems += part["problems"]
        self.ended.update(part["ended"])
        self.merged += part["merged"]


def _p99(took: Sequence[float]) -> float:
    return quantiles(took, n=100)[98]


def _part(place: Path, seconds: float, say: Say, *, hostile: bool) -> dict[str, Any]:
    kind = "hostile" if hostile else "quiet"
    command = [sys.executable, "-m", "tests.bench.soak", "part", str(place), str(seconds), kind]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as part:
        last = ""
        for line in part.stdout or ():
            last = line
            if not line.startswith("{"):
                say(line.strip())
    said: dict[str, Any] = (
        json.loads(last) if part.returncode == 0 else {"presses": [1.0, 1.0], "merged": 0, "ended": {}}
    )
    said["problems"] = [
        *([] if part.returncode == 0 else [f"the {kind} part failed: {last.strip()}"]),
        *_left(place, part.pid),
    ]
    return said


def _left(place: Path, pid: int) -> list[str]:
    """Processes, control groups, and files beyond what the state folder keeps. The folder goes."""
    groups = [str(path) for path in resource_limits.ROOT.rglob(f"overlord-{pid}-*")]
    processes = [f"process {number}" for number in left(str(place))]
    size = sum(entry.status.st_blocks * 512 for entry in walk(place))
    remove(place / "home")  # folders in it may be nested deeper than Python's own removal goes
    return [*groups, *processes, *([f"{size >> 20} MB in the state folder"] if size > STATE_MOST else [])]


class Either:
    """Implements agents.ports.Llm and Talker: one for the hostile task, another for the others."""

    def __init__(self, calm: Llm | Talker, hostile: "ScriptedLlm | Hostile") -> None:
        self._calm, self._hostile = calm, hostile

    def _for(self, task: Task | None) -> Any:
        return self._hostile if task is not None and task.request.text.startswith(HOSTILE) else self._calm

    async def ask(self, asked: Ask, shape: type[Shape]) -> tuple[Shape, Spent]:
        answer: tuple[Shape, Spent] = await self._for(asked.task).ask(asked, shape)
        return answer

    async def converse(self, turn: Converse) -> tuple[Said, Keep]:
        said: tuple[Said, Keep] = await self._for(turn.task).converse(turn)
        return said


@dataclass
class Hostile:
    """Runs one bomb after the other, then says that it is blocked."""

    ended: Counter[str] = field(default_factory=Counter)
    blocked: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(0))
    _ahead: dict[str, list[str]] = field(default_factory=dict)  # of each run; the bomb that runs now is last

    async def converse(self, turn: Converse) -> tuple[Said, Keep]:
        await written(turn)
        ahead = self._ahead.setdefault(turn.step.rpartition(":")[0], [*reversed(BOMBS), ""])
        before, heard = ahead.pop(), [str(message.get("content")) for message in turn.messages[-2:]]
        if any("was ended" in words and "took too long" not in words for words in heard):
            self.ended[before] += 1
        if not ahead:
            self.blocked.release()
            return Said(text="", calls=(_call("task_blocked", reason="no more"),)), free
        bomb = f"python3 -c {shlex.quote(textwrap.dedent(BOMBS[ahead[-1]]))}"
        # what follows succeeds: a run in which all fails is ended soon
        calls = (_call("run_command", command=bomb, timeout=COMMAND), _call("run_command", command="true"))
        return Said(text="", calls=calls), free


def _call(name: str, **given: object) -> ToolCall:
    return ToolCall(id=os.urandom(4).hex(), name=name, arguments=json.dumps(given))


@dataclass
class Person:
    """Presses the first button of whatever is asked, and an old one again and again."""

    program: Program
    stage: ConsoleStage
    took: list[float] = field(default_factory=list)
    _pressed: dict[str, Need] = field(default_factory=dict)

    async def answer(self) -> None:
        while True:
            for need in await self.program.queries.needs(self.stage.account("operator")):
                hostile_end = need.task.request.text.startswith(HOSTILE) and need.decision.kind is not Kind.PLAN
                if need.decision.id not in self._pressed and not hostile_end:
                    self._pressed[need.decision.id] = need
                    await self._press(need)
            await asyncio.sleep(0.2)

    async def press(self) -> None:
        """What was decided: it is stored, looked up and refused."""
        while True:
            await asyncio.sleep(1 / PRESSES)
            if self._pressed:
                began = time.perf_counter()
                await self._press(next(iter(self._pressed.values())))
                self.took.append(time.perf_counter() - began)

    async def _press(self, need: Need) -> None:
        decision = need.decision
        pressed = Pressed(
            key=f"soak:{os.urandom(8).hex()}",
            thread=need.task.request.thread,
            channel=need.task.request.channel,
            message="",
            by=self.stage.account("operator"),
            token=Choice(decision=decision.id, letter=decision.options[0].letter).token,
            shown=decision.fingerprint,
            at=datetime.now(UTC),
        )
        await self.program.queries.hear(pressed)


class Behind:
    program: Program | None = None


async def _play(place: Path, seconds: float, *, hostile: bool) -> None:
    projects = await _projects(place)
    talker, llm = Hostile(), ScriptedLlm(always={"decompose": PLAN, "critic": GO, "custodiet": OK})
    await Gateway().warm()

    def swap(ports: Ports) -> Ports:
        assert isinstance(ports.minions, EngineMinions)
        given = ports.minions.services
        small = replace(given.profile, memory=160 * MB, disk=96 * MB, inodes=5_000, processes=128)
        changed = with_services(ports, talker=Either(given.talker, talker), profile=small)
        return replace(changed, llm=Either(ports.llm, llm))

    given = {
        "OVERLORD_HOME": str(place / "home"),
        "OVERLORD_CONSOLE_PORT": "0",
        "OVERLORD_MODELS__PRIMARY": "rehearsal/sample",
        "OVERLORD_CONFIG": str(place / "overlord.yaml"),
    }
    behind, deadline, merged = Behind(), time.monotonic() + seconds, 0
    stage = ConsoleStage(behind)
    async with running(load_settings(given, cwd=place, user="operator"), swap=swap) as program:
        behind.program = program
        person = Person(program, stage)
        beside = [asyncio.create_task(person.answer()), asyncio.create_task(person.press())]
        if hostile:
            beside.append(asyncio.create_task(_attack(stage, talker)))
        while not merged or time.monotonic() < deadline:
            merged += await _round(stage, program, projects)
            print(f"{merged} merged, {len(person.took)} presses, ended so far: {dict(talker.ended)}", flush=True)
        for each in beside:
            each.cancel()
        for each in beside:
            with suppress(asyncio.CancelledError):
                await each
    print(json.dumps({"presses": person.took, "merged": merged, "ended": talker.ended}), flush=True)


async def _projects(place: Path) -> dict[str, tuple[Path, str]]:
    """Each with the commit that it begins with."""
    made, lines = {}, CONFIG
    for name in (*WELL, TARGET):
        repository = await lay_out_sample(packaged_path("samples", "shortlinks"), place / name)
        made[name] = (repository, git(repository, "rev-parse", "HEAD").strip())
        lines += f"  - {{name: {name}, path: {repository}}}\n"
    (place / "overlord.yaml").write_text(lines)
    return made


async def _round(stage: ConsoleStage, program: Program, projects: dict[str, tuple[Path, str]]) -> int:
    """Three tasks from the request to the merge; afterwards their projects are as they were."""
    for name in WELL:
        git(projects[name][0], "reset", "--quiet", "--hard", projects[name][1])
    before = {task.id for task in await program.queries.tasks(stage.account("operator"), ended=True)}
    for name, request in WELL.items():
        await stage.say("operator", f"{request} in {name}", mention=True)

    async def all_merged() -> bool:
        tasks = await program.queries.tasks(stage.account("operator"), ended=True, limit=50)
        return sum(bool(task.delivery.merged_into) and task.id not in before for task in tasks) == len(WELL)

    await until(all_merged, "three merged tasks", PATIENCE)
    return len(WELL)


async def _attack(stage: ConsoleStage, talker: Hostile) -> None:
    """One hostile task after the other: each ends blocked, and then waits for a person who does not come."""
    for number in itertools.count():
        await stage.say("operator", f"{HOSTILE} of {TARGET}, the {number}th time", mention=True)
        await talker.blocked.acquire()


if __name__ == "__main__":
    if sys.argv[1:2] == ["part"]:
        asyncio.run(_play(Path(sys.argv[2]), float(sys.argv[3]), hostile=sys.argv[4] == "hostile"))
    else:
        from tests.bench.rows import table

        print(table(run(lambda text: print(text, file=sys.stderr), float(sys.argv[1]) if sys.argv[1:] else MINUTES)))
