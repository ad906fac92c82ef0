"""From a press to its durable acknowledgement: `Inbox.accept`, beside one bare commit. For information."""

import asyncio
import time
from datetime import UTC, datetime
from pathlib import Path
from statistics import median, quantiles

from agents.domain.decisions.authority import Kind
from agents.domain.task.task import Task
from bot.intake.inbox import Inbox
from bot.live import ChangeNotifier
from bot.messages import Choice, Pressed
from tests.bench.floor import BareSqlite, bare_sqlite, folder
from tests.bench.office import open_office, open_tasks, owner_of
from tests.bench.rows import Row, Say, in_turn

TIMES, ROUNDS = 200, 7


def run(say: Say) -> list[Row]:
    with folder() as place, bare_sqlite(place) as bare:
        acks, commits = asyncio.run(_measure(place, bare, say))
    p50 = _row("press_to_durable_ack", median(acks), median(commits))
    p99 = _row("press_to_durable_ack_p99", quantiles(acks, n=100)[98], quantiles(commits, n=100)[98])
    return [p50, p99]


def _row(name: str, ours: float, theirs: float) -> Row:
    return Row(
        name=name, ours=ours * 1e3, theirs=theirs * 1e3, ratio=ours / theirs, beside="a bare SQLite commit, FULL"
    )


async def _measure(place: Path, bare: BareSqlite, say: Say) -> tuple[list[float], list[float]]:
    acks: list[float] = []
    commits: list[float] = []
    async with open_office(place, ChangeNotifier()) as office:
        inbox = Inbox(office)
        (task,) = await open_tasks(office, 1)
        for number in range(-1, ROUNDS):
            took, floor = [], []
            for ours in in_turn(number, True, False):
                if ours:
                    took = [await press(inbox, task, f"{number}:{n}") for n in range(TIMES)]
                else:
                    floor = bare.commits(TIMES)
            say(f"round {number + 1}: press {median(took) * 1e3:.3f}, commit {median(floor) * 1e3:.3f} ms")
            if number >= 0:  # the first warms up
                acks += took
                commits += floor
    return acks, commits


async def press(inbox: Inbox, task: Task, key: str) -> float:
    controls = task.of_kind(Kind.CONTROLS)
    assert controls
    pressed = Pressed(
        key=key,
        thread=task.request.thread,
        channel=task.request.channel,
        message="",
        by=owner_of(task),
        token=Choice(decision=controls.id, letter=controls.options[0].letter).token,
        shown=controls.fingerprint,
        at=datetime.now(UTC),
    )
    before = time.perf_counter()
    await inbox.accept(pressed)
    return time.perf_counter() - before
