"""Eight minions at once, whose commands say 20 MB each, and somebody looks at all of them: how long the loop stands
still, how large the bot gets."""

import asyncio
import resource
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

from agents.domain.ids import Account, TaskId
from agents.llm.gateway import Gateway
from agents.ports import Converse, Keep, Ports, Said, ToolCall
from bot.app import Program, running
from bot.config.settings_source import load_settings
from tests.bench.floor import folder
from tests.bench.rows import Row, Say
from tests.fakes.llm import ScriptedLlm, free, written
from tests.fakes.work import with_services
from tests.scenarios.console_stage import ConsoleStage
from tests.scenarios.plans import GO, OK, Says, subtask
from tests.scenarios.stage import until

MINIONS, MEGABYTES = 8, 20
BEAT = 0.005
MOST_STALL, MOST_MEMORY = 200.0, 300.0
CONFIG = "limits: {minions: 8, minions_per_project: 8, quota_per_person: 1000, quota_per_channel: 1000}\n"
SHOUT = f"python3 -c \"import sys; [sys.stdout.write('x' * 1023 + chr(10)) for _ in range({MEGABYTES * 1024})]\""
PLAN: Says = {"status": "COMPLETE", "goal": "It works", "subtasks": [subtask("Do it", files=["shortlinks/new.py"])]}


class Loud:
    """Says a lot once, then is blocked."""

    def __init__(self) -> None:
        self.turns: dict[str, int] = {}
        self.ended = 0
        self.all_ended = asyncio.Event()

    async def converse(self, turn: Converse) -> tuple[Said, Keep]:
        await written(turn)
        run = turn.step.rpartition(":")[0]
        self.turns[run] = self.turns.get(run, 0) + 1
        if self.turns[run] > 1:
            self.ended += 1
            if self.ended == MINIONS:
                self.all_ended.set()
            return Said(text="", calls=(ToolCall(id="2", name="task_blocked", arguments='{"reason": "loud"}'),)), free
        command = ToolCall(id="1", name="run_command", arguments=f'{{"command": {_json(SHOUT)}}}')
        return Said(text="", calls=(command,)), free


def _json(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


class Behind:
    program: Program | None = None


def run(say: Say) -> list[Row]:
    with folder() as place:
        command = [sys.executable, "-m", "tests.bench.noisy_minions", str(place)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    if done.returncode:
        return [Row(name="noisy_minions", ours=0, failed=done.stderr.strip()[-300:])]
    stall, memory = map(float, done.stdout.split()[-2:])
    beside = f"{MINIONS} minions, {MEGABYTES} MB each"
    say(f"stall {stall:.0f} ms, memory {memory:.0f} MB")
    return [
        Row(name="noisy_stall", ours=stall, most_ours=MOST_STALL, beside=beside),
        Row(name="noisy_memory", ours=memory, unit="MB", most_ours=MOST_MEMORY, beside=beside),
    ]


async def _play(place: Path) -> tuple[float, float]:
    loud = Loud()
    llm = ScriptedLlm(always={"decompose": PLAN, "critic": GO, "custodiet": OK})
    await Gateway().warm()  # as it is when models are asked

    def swap(ports: Ports) -> Ports:
        return replace(with_services(ports, talker=loud), llm=llm)

    (place / "overlord.yaml").write_text(CONFIG)
    given = {"OVERLORD_HOME": str(place / "home"), "OVERLORD_CONSOLE_PORT": "0", "OVERLORD_CONFIG": "overlord.yaml"}
    behind = Behind()
    stage = ConsoleStage(behind)
    async with running(load_settings(given, cwd=place, user="operator"), swap=swap) as program:
        behind.program = program
        threads = [await stage.say("operator", f"do it {number}", mention=True) for number in range(MINIONS)]
        for thread in threads:
            await until(lambda at=thread: _approvable(stage, at), "a plan")  # type: ignore[misc]
        print(f"before: {_memory():.0f} MB", file=sys.stderr)
        beating = asyncio.create_task(_longest_stall())
        looking = [asyncio.create_task(_look(program, TaskId(f"T-{n}"))) for n in range(1, MINIONS + 1)]
        for thread in threads:
            await stage.press("operator", thread, "Approve plan")
        async with asyncio.timeout(300):
            await loud.all_ended.wait()
        for each in (beating, *looking):
            each.cancel()
        return STALL[0] * 1e3, _memory()


def _memory() -> float:
    """The most that it ever had, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


STALL = [0.0]


async def _longest_stall() -> None:
    while True:
        before = time.perf_counter()
        await asyncio.sleep(BEAT)
        STALL[0] = max(STALL[0], time.perf_counter() - before - BEAT)


async def _look(program: Program, task: TaskId) -> None:
    """As an open page of the task does."""
    with program.queries.looking(task) as moved:
        while await moved.wait():
            moved.clear()
            await program.queries.live(task, Account("console:operator"))


async def _approvable(stage: ConsoleStage, thread: str) -> bool:
    return any("Approve plan" in shown.buttons for shown in await stage.shown("operator", thread))


if __name__ == "__main__":
    print(*asyncio.run(_play(Path(sys.argv[1]))))
