"""An old installation beside a young one: 10,000 tasks with 200 open decisions, and 10 with 1. Two whole programs.

Every page, the two commands that list, from a press to its durable acknowledgement, and from an approval to a minion's
first question. The old one's branches lie in its copy and in the user's repository, packed as its upkeep packs them.
"""

import asyncio
import os
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack, closing
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import httpx

from agents.ports import Ports
from agents.workspace.git.checkouts import copy_of
from agents.workspace.git.git import git_dir
from agents.workspace.git.mirror import lock_of
from agents.workspace.git.upkeep import pack_refs
from bot.app import Program, running
from bot.config.settings_source import load_settings
from bot.config.state_folder import make_home
from store.database import Database
from store.transaction import Transaction
from tests.bench.first_request import APPROVED, Behind, Stamp, approvable, more
from tests.bench.floor import ROOT, folder
from tests.bench.press import press
from tests.bench.rows import Row, Say, compared, in_turn
from tests.bot.filling import fill
from tests.fakes.llm import ScriptedLlm
from tests.fakes.work import with_services
from tests.scenarios.console_stage import ConsoleStage
from tests.scenarios.plans import GO, OK, Says, subtask
from tests.scenarios.stage import until

OLD, YOUNG = (10_000, 200), (10, 1)
BESIDE = f"{YOUNG[0]} tasks, {YOUNG[1]} open decision"
MOST = 2.0
PAGES = {
    "channel": "/c/general",
    "direct": "/direct",
    "thread": "/thread/console:general:T-1",
    "needs": "/needs",
    "tasks": "/tasks",
    "all_tasks": "/tasks?ended",
    "task": "/task/T-1",
}
KINDS = ("heads", "overlord/base")
TIMES, COMMANDS, APPROVALS = 15, 5, 7
PLAN: Says = {"status": "COMPLETE", "goal": "It works", "subtasks": [subtask("Do it", files=["a.py"])]}


@dataclass
class House:
    home: Path
    repository: Path
    program: Program
    browser: httpx.AsyncClient
    stage: ConsoleStage
    stamp: Stamp
    said: int = 0


def run(say: Say) -> list[Row]:
    with folder() as place:
        return asyncio.run(_measure(place, say))


async def _measure(place: Path, say: Say) -> list[Row]:
    async with AsyncExitStack() as stack:
        houses = [await _open(stack, place / name, *size) for name, size in (("old", OLD), ("young", YOUNG))]
        for house in houses:
            await _approve(house)  # the first one makes the copy
        await _branch_off(houses[0], OLD[0])
        say("both are there")
        asked: dict[str, tuple[int, Callable[[House], Awaitable[float]]]] = {
            **{f"page_{name}": (TIMES, partial(_page, path)) for name, path in PAGES.items()},
            "tasks": (COMMANDS, partial(_command, ("tasks", "--all"))),
            "decisions": (COMMANDS, partial(_command, ("decisions",))),
            "press": (TIMES, _press),
            "first_request": (APPROVALS, _approve),
        }
        return [await _row(f"growth_{name}", times, ask, houses, say) for name, (times, ask) in asked.items()]


async def _row(name: str, times: int, ask: Callable[[House], Awaitable[float]], houses: list[House], say: Say) -> Row:
    old, young = houses
    took: dict[int, list[float]] = {id(old): [], id(young): []}
    for number in range(-1, times):
        for house in in_turn(number, old, young):
            seconds = await ask(house)
            if number >= 0:  # the first warms up
                took[id(house)].append(seconds)
    row = compared(name, took[id(old)], took[id(young)], beside=BESIDE, most=MOST)
    say(f"{name}: {row.ours:.1f} beside {row.theirs:.1f} ms")
    return row


async def _page(path: str, house: House) -> float:
    """The best of a few: others use the machine, too."""
    took = []
    for _ in range(5):
        began = time.perf_counter()
        assert (await house.browser.get(path)).status_code == 200
        took.append(time.perf_counter() - began)
    return min(took)


async def _command(words: tuple[str, ...], house: House) -> float:
    environ = {**os.environ, "OVERLORD_HOME": str(house.home), "PYTHONPATH": str(ROOT)}
    began = time.perf_counter()
    command = [sys.executable, "-m", "bot", *words]
    quietly = partial(subprocess.run, cwd=house.home, env=environ, check=True, capture_output=True)
    await asyncio.to_thread(quietly, command)
    return time.perf_counter() - began


async def _press(house: House) -> float:
    house.said += 1
    task = await house.program.services.database.read(lambda tx: tx.log.tasks(ended=False, limit=1)[0])
    return await press(house.program.inbox, task, f"{house.home}:{house.said}")


async def _approve(house: House) -> float:
    house.said += 1
    thread = await house.stage.say("operator", f"do it {house.said}", mention=True)
    await until(lambda: approvable(house.stage, thread), "the plan")
    await asyncio.sleep(0.5)  # a person reads it
    began, asked = time.perf_counter(), len(house.stamp.asked)
    await house.stage.press("operator", thread, "Approve plan")
    await until(lambda: more(house.stamp, asked), "the first question")
    return house.stamp.asked[asked] - began


async def _open(stack: AsyncExitStack, place: Path, tasks: int, asked: int) -> House:
    home, repository, stamp, behind = place / "home", place / "shop", Stamp(), Behind()
    await asyncio.to_thread(_prepare, home, repository)
    with closing(Database(f"sqlite:///{home / 'overlord.db'}")) as database:
        await database.write(partial(_live, tasks, asked))
    llm = ScriptedLlm(always={"decompose": PLAN, "critic": GO, "custodiet": OK, "code_review": APPROVED})

    def swap(ports: Ports) -> Ports:
        return replace(with_services(ports, talker=stamp), llm=llm)

    given = {"OVERLORD_HOME": str(home), "OVERLORD_CONSOLE_PORT": "0", "OVERLORD_CONFIG": str(place / "overlord.yaml")}
    settings = load_settings(given, cwd=place, user="operator")
    program = await stack.enter_async_context(running(settings, swap=swap))
    behind.program = program
    browser = await stack.enter_async_context(httpx.AsyncClient(base_url=program.address, timeout=60))
    return House(home, repository, program, browser, ConsoleStage(behind), stamp)


def _prepare(home: Path, repository: Path) -> None:
    repository.mkdir(parents=True)
    make_home(home)
    (repository / "a.py").write_text("x = 1\n")
    (repository.parent / "overlord.yaml").write_text(f"projects: [{{name: shop, path: {repository}}}]\n")
    who = ["-c", "user.name=Ana", "-c", "user.email=ana@localhost"]
    for words in (["init", "-q", "-b", "main"], ["add", "."], [*who, "commit", "-qm", "begin"]):
        subprocess.run(["git", "-C", str(repository), *words], check=True)


def _live(tasks: int, asked: int, tx: Transaction) -> None:
    """All of it long ago: nothing is left to launch or to say."""
    fill(tasks, asked, tx)
    while unread := tx.log.unread("launcher", 1_000):
        for reader in ("launcher", "announcer"):
            tx.log.mark_read(reader, unread[-1].seq)


async def _branch_off(house: House, count: int) -> None:
    """As many tasks leave two branches each, and where they began, in our copy; and one in the user's repository."""
    copy, theirs = copy_of(house.home, "shop"), git_dir(house.repository)
    asked = ["git", "-C", str(house.repository), "rev-parse", "HEAD"]
    tip = (await asyncio.to_thread(subprocess.check_output, asked, text=True)).strip()
    ours = [f"refs/{kind}/ai/t-{n}{part}-old" for n in range(count) for part in ("", ".1") for kind in KINDS]
    for place, refs in ((copy, ours), (theirs, [f"refs/heads/ai/t-{n}-old" for n in range(count)])):
        lines = "".join(f"create {ref} {tip}\n" for ref in refs)
        command = ["git", f"--git-dir={place}", "update-ref", "--stdin"]
        await asyncio.to_thread(subprocess.run, command, input=lines, text=True, check=True)
        assert await pack_refs(place, lock_of(copy) if place == copy else None)
