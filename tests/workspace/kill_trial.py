"""A process that opens, commits, joins and closes without end, killed at any moment; then everything is looked at.

`python -m tests.workspace.kill_trial FOLDER KILLS SEED` prints what was seen as JSON. Every other kill takes the git
commands that run at that moment too; else they end by themselves, without anybody to hear them.
"""

import asyncio
import json
import os
import random
import signal
import sys
import time
import traceback
from contextlib import suppress
from pathlib import Path

from agents.ports.workspace import CheckoutFailed
from agents.workspace.git.checkouts import GitCheckouts
from agents.workspace.git.upkeep import keep_up
from tests.workspace.yard import Yard, git, write, yard

TASK = "ai/t-1-all"
BRANCHES = [f"ai/t-1.{number}-work" for number in range(4)]


async def work(place: Yard, chance: random.Random, told: int) -> None:
    """For ever. A commit counts from the moment it is told."""
    checkouts = place.checkouts()
    while True:
        branch = chance.choice(BRANCHES)
        head = await checkouts.tip("links", "HEAD")
        checkout = await checkouts.open("links", branch, await checkouts.tip("links", branch) or head)
        for _ in range(chance.randrange(1, 3)):
            name = f"{branch[3:]}/{chance.randrange(6)}.txt"
            write(checkout.workspace.path, {name: f"{chance.random()}\n"})
            commit = await checkouts.commit(checkout, "more")
            os.write(told, f"{branch} {commit}\n".encode())
        joined = await checkouts.join("links", TASK, head, commit, "Join it")
        if joined is not None:
            os.write(told, f"{TASK} {joined}\n".encode())
        await _tidied(checkouts, chance, checkout_of=branch)


async def _tidied(checkouts: GitCheckouts, chance: random.Random, checkout_of: str) -> None:
    match chance.randrange(5):
        case 0:
            tip = await checkouts.tip("links", checkout_of)
            await checkouts.close(await checkouts.open("links", checkout_of, tip))
        case 1:
            await checkouts.prepare("links")
        case 2:
            await checkouts.sweep([("links", branch) for branch in BRANCHES])
        case 3:
            await checkouts.open("links", TASK, await checkouts.tip("links", TASK))
        case 4:
            await keep_up(checkouts.repository("links"), fill=0)


def killed_once(place: Yard, told: Path, seed: int, after: float, everything: bool) -> str:
    """What the child said if it ended by itself; empty if it was killed, as it should be."""
    trouble = told.with_name("trouble")
    pid = os.fork()
    if pid == 0:
        os.setsid()
        try:
            log = os.open(told, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
            asyncio.run(work(place, random.Random(seed), log))
        except BaseException:
            trouble.write_text(traceback.format_exc())
        os._exit(1)
    time.sleep(after)
    if os.waitpid(pid, os.WNOHANG)[0]:
        return trouble.read_text() if trouble.exists() else "it ended without a word"
    running = [pid, *(below(pid) if everything else ())]
    for each in running:
        with suppress(ProcessLookupError):
            os.kill(each, signal.SIGKILL)
    os.waitpid(pid, 0)
    return ""


def below(pid: int) -> list[int]:
    """What a process started, and what that started: git has a session of its own, so no group names them."""
    found = []
    for told in Path("/proc").glob(f"{pid}/task/*/children"):
        for child in map(int, told.read_text().split()):
            found += [child, *below(child)]
    return found


def lost(place: Yard, told: Path) -> list[str]:
    """Commits that were told and are not on their branch."""
    lines = [line.split(" ") for line in told.read_text().splitlines()] if told.exists() else []
    on = {branch: set(git(place.mirror, "rev-list", branch).split()) for branch in {line[0] for line in lines}}
    return [f"{branch} {commit}" for branch, commit in lines if commit not in on[branch]]


def trial(base: Path, kills: int, seed: int) -> dict[str, object]:
    place, chance, troubles = yard(base), random.Random(seed), []
    told = base / "told"
    for number in range(kills):
        if number % 20 == 10:
            place.people_commit({f"people-{number}.txt": "x\n"})
            git(place.user, "status")
        before = place.seen()
        died = killed_once(place, told, chance.randrange(10**9), chance.uniform(0.01, 0.8), number % 2 == 1)
        troubles += [died] if died else []
        troubles += [] if place.seen() == before else [f"the user's checkout changed at kill {number}"]
    swept = asyncio.run(_swept(place))
    return {
        "told": len(told.read_text().splitlines()) if told.exists() else 0,
        "lost": lost(place, told),
        "troubles": troubles,
        "swept": swept,
        "left": place.folders(),
        "ready": len(list((place.home / "worktrees/links").glob("@*"))),
        "fsck": git(place.mirror, "fsck", "--no-dangling"),
        "locks": [str(path) for path in place.mirror.rglob("*.lock")],
    }


async def _swept(place: Yard) -> int:
    """After a last piece of work, which finds whatever is in its way."""
    checkouts = place.checkouts()
    for branch in (*BRANCHES, TASK):
        try:
            await _last_work(checkouts, branch)
        except CheckoutFailed:  # a git whose program died may still have moved the branch meanwhile; jobs try again
            await asyncio.sleep(1)
            await _last_work(checkouts, branch)
    return await checkouts.sweep([])


async def _last_work(checkouts: GitCheckouts, branch: str) -> None:
    start = await checkouts.tip("links", branch) or await checkouts.tip("links", "HEAD")
    checkout = await checkouts.open("links", branch, start)
    write(checkout.workspace.path, {f"last/{branch[3:]}": f"{branch}\n"})
    await checkouts.commit(checkout, "last")


if __name__ == "__main__":
    sys.stdout.write(json.dumps(trial(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])), indent=1))
