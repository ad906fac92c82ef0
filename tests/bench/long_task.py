"""A task with 10,000 facts beside one with 10: loading it, loading it inside a write, and appending to it.

A task that is loaded comes from its snapshot row. That this process may still have it decoded would hide how large
that row is, so `task_of_10000_facts_cold` loads it each time as a process does that has just started.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from statistics import median

from agents.domain import events as e
from agents.domain.ids import TaskId
from agents.domain.task.task import Task
from bot.live import ChangeNotifier
from bot.services import Services
from store.codec import Cause
from store.streams import log
from store.transaction import Transaction
from tests.bench.floor import folder
from tests.bench.office import OPERATOR, open_office, open_tasks
from tests.bench.rows import Row, Say, compared, in_turn

SHORT, LONG = 10, 10_000
AT_ONCE = 500
TIMES, ROUNDS = 40, 9

Do = Callable[[TaskId], Awaitable[object]]


def run(say: Say) -> list[Row]:
    with folder() as place:
        return asyncio.run(_measure(place, say))


async def _measure(place: Path, say: Say) -> list[Row]:
    async with open_office(place, ChangeNotifier()) as office:
        short, long = await open_tasks(office, 2)
        await _grow(office, short, SHORT)
        await _grow(office, long, LONG)
        say(f"one task has {SHORT} facts, the other {LONG:,}")
        read, write = office.database.read, office.database.write
        ways: dict[str, Do] = {
            "": lambda id: read(lambda tx: tx.log.task(id)),
            "_cold": lambda id: read(partial(_cold, id)),
            "_in_write": lambda id: write(lambda tx: tx.log.task(id)),
            "_append": lambda id: write(partial(_append, short if id == short.id else long, 1)),
        }
        return [await _compare(name, do, long.id, short.id) for name, do in ways.items()]


async def _compare(name: str, do: Do, long: TaskId, short: TaskId) -> Row:
    longs, shorts = [], []
    for number in range(-1, ROUNDS):
        took: dict[TaskId, list[float]] = {long: [], short: []}
        for at in range(TIMES):
            for id in in_turn(at, long, short):
                before = time.perf_counter()
                await do(id)
                took[id].append(time.perf_counter() - before)
        if number >= 0:  # the first warms up
            longs.append(median(took[long]))
            shorts.append(median(took[short]))
    return compared(f"task_of_10000_facts{name}", longs, shorts, beside=f"a task of {SHORT} facts", most=1.2)


async def _grow(office: Services, task: Task, facts: int) -> None:
    there = len(await office.database.read(lambda tx: tx.log.facts(task.id)))
    for start in range(there, facts, AT_ONCE):
        await office.database.write(partial(_append, task, min(AT_ONCE, facts - start)))


def _append(task: Task, count: int, tx: Transaction) -> None:
    remark = e.RemarkMade(task=task.id, at=task.changed_at, by=task.request.by, text="please keep the old endpoints")
    tx.log.append(task.id, [remark] * count, Cause(actor=OPERATOR, delivery="bench"))


def _cold(id: TaskId, tx: Transaction) -> Task:
    log._DECODED.clear()
    return tx.log.task(id)
