"""From a pressed approval to a minion's first question to its model, on a repository of 7,000 files.

Ours is the whole program: the press is stored, the plan accepted, the task's branch begun, a worktree taken, the pack
made, the subtask's facts recorded. Theirs is the naive way: `git worktree add`, Repomix over the repository, and a
process in a sandbox.
"""

import asyncio
import subprocess
import time
from dataclasses import replace
from pathlib import Path

from agents.ports import Converse, Keep, Ports, Said, ToolCall
from bot.app import Program, running
from bot.config.settings_source import load_settings
from tests.bench import checkout, pack
from tests.bench.floor import folder
from tests.bench.rows import Row, Say, compared
from tests.fakes.llm import ScriptedLlm, free, written
from tests.fakes.work import with_services
from tests.scenarios.console_stage import ConsoleStage
from tests.scenarios.plans import GO, OK, Says, subtask
from tests.scenarios.stage import until

ROUNDS = 5
MOST = 1 / 40
APPROVED: Says = {"status": "approved"}


class Stamp:
    """A model that notes when it is first asked, and says that all is done."""

    def __init__(self) -> None:
        self.asked: list[float] = []

    async def converse(self, turn: Converse) -> tuple[Said, Keep]:
        await written(turn)
        self.asked.append(time.perf_counter())
        return Said(text="", calls=(ToolCall(id="1", name="task_blocked", arguments='{"reason": "measured"}'),)), free


class Behind:
    """What the stage speaks to."""

    program: Program | None = None


def run(say: Say) -> list[Row]:
    packer = pack.repomix(say)
    if isinstance(packer, str):
        return [Row(name="first_request", ours=0, failed=packer)]
    with folder() as place:
        repository = place / "shop"
        checkout.repository(repository)
        ours = asyncio.run(_ours(place, repository, say))
        theirs = [_naive(repository, place / f"naive-{number}", packer) for number in range(ROUNDS)]
    return [compared("first_request", ours, theirs, beside="worktree add + Repomix + bwrap", most=MOST)]


async def _ours(place: Path, repository: Path, say: Say) -> list[float]:
    stamp, took = Stamp(), list[float]()
    plan: Says = {
        "status": "COMPLETE",
        "goal": "It works",
        "subtasks": [subtask("Do it", files=["package-0/module-0/changed.py"])],
    }
    llm = ScriptedLlm(always={"decompose": plan, "critic": GO, "custodiet": OK, "code_review": APPROVED})

    def swap(ports: Ports) -> Ports:
        return replace(with_services(ports, talker=stamp), llm=llm)

    (place / "overlord.yaml").write_text(f"projects: [{{name: shop, path: {repository}}}]\n")
    given = {"OVERLORD_HOME": str(place / "home"), "OVERLORD_CONSOLE_PORT": "0", "OVERLORD_CONFIG": "overlord.yaml"}
    settings = load_settings(given, cwd=place, user="operator")
    behind = Behind()
    stage = ConsoleStage(behind)
    async with running(settings, swap=swap) as program:
        behind.program = program
        for number in range(ROUNDS + 1):
            thread = await stage.say("operator", f"do it {number}", mention=True)
            await until(lambda at=thread: approvable(stage, at), "the plan")  # type: ignore[misc]
            await asyncio.sleep(1.0)  # a person reads it
            began, asked = time.perf_counter(), len(stamp.asked)
            await stage.press("operator", thread, "Approve plan")
            await until(lambda before=asked: more(stamp, before), "the first question")  # type: ignore[misc]
            if number:  # the first one loads what is loaded once
                took.append(stamp.asked[asked] - began)
                say(f"{took[-1] * 1e3:.0f} ms")
    return took


async def approvable(stage: ConsoleStage, thread: str) -> bool:
    return any("Approve plan" in shown.buttons for shown in await stage.shown("operator", thread))


async def more(stamp: Stamp, before: int) -> bool:
    return len(stamp.asked) > before


def _naive(repository: Path, place: Path, packer: Path) -> float:
    began = time.perf_counter()
    git = ["git", "-C", str(repository), "worktree", "add", "-q", "--detach", str(place)]
    subprocess.run(git, check=True, stdout=subprocess.DEVNULL)
    subprocess.run(
        [str(packer), "-o", str(place.with_suffix(".xml"))], cwd=place, check=True, stdout=subprocess.DEVNULL
    )
    subprocess.run(["bwrap", "--ro-bind", "/", "/", "true"], check=True)
    return time.perf_counter() - began
