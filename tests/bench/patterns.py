"""What a look for patterns costs at the end of a task: after 10,000 finished subtasks beside after 100.

Asked are the questions that `look_for_patterns` puts to the store: what repeats, what is proposed already, which skills
help too seldom.
"""

import asyncio
import time
from contextlib import AsyncExitStack
from pathlib import Path
from statistics import median

from sqlalchemy import insert

from agents.domain.ids import PersonId, TaskId, Thread
from agents.domain.learning.signature import Obstacle, Signature
from agents.domain.task.facts import Request
from agents.domain.task.task import Task
from agents.domain.work.work import Work, WorkState
from bot.live import ChangeNotifier
from bot.services import Services
from store.codec import dump
from store.failure_table import failures
from store.skill_tables import skill_uses
from store.transaction import Transaction
from tests.bench.floor import folder
from tests.bench.office import open_office
from tests.bench.rows import Row, Say, compared, in_turn
from tests.builders.proposals import proposal_of

SHORT, LONG = 100, 10_000
ALIKE = 20  # subtasks that met the very same failure, in both
TIMES, ROUNDS = 40, 9


def run(say: Say) -> list[Row]:
    with folder() as place:
        return [asyncio.run(_measure(place, say))]


async def _measure(place: Path, say: Say) -> Row:
    async with AsyncExitStack() as stack:
        offices: dict[int, Services] = {}
        for size in (LONG, SHORT):
            (place / str(size)).mkdir()
            offices[size] = await stack.enter_async_context(open_office(place / str(size), ChangeNotifier()))
            await _fill(offices[size], size)
            say(f"one project has {size:,} finished subtasks behind it")
        took: dict[int, list[float]] = {LONG: [], SHORT: []}
        for number in range(-1, ROUNDS):
            these: dict[int, list[float]] = {LONG: [], SHORT: []}
            for at in range(TIMES):
                for size in in_turn(at, LONG, SHORT):
                    these[size].append(await _look(offices[size]))
            for size, looks in these.items():
                if number >= 0:  # the first warms up
                    took[size].append(median(looks))
    beside = f"after {SHORT} finished subtasks"
    return compared("patterns_after_10000", took[LONG], took[SHORT], beside=beside, most=1.2)


def _signature(number: int) -> Signature:
    return Signature(check="tests", obstacle=Obstacle.TESTS, names=(f"test_{number}",))


UNHEARD_OF = proposal_of("Nobody says what a parcel weighs at most")


async def _fill(office: Services, size: int) -> None:
    def write(tx: Transaction) -> None:
        met = [(number, _signature(0 if number < ALIKE else number)) for number in range(size)]
        tx.db.execute(
            insert(failures),
            [
                {"task": f"T-{number}", "key": each.key, "project": "shop", "signature": dump(each), "at": number}
                for number, each in met
            ],
        )
        used = [{"task": f"T-{number}", "skill": "python-tests", "project": "shop"} for number in range(size)]
        tx.db.execute(insert(skill_uses), [{**row, "passed": True, "at": at} for at, row in enumerate(used)])

    await office.database.write(write)


def _task(office: Services) -> Task:
    at = office.clock.now()
    request = Request(text="x", by=PersonId("ana"), thread=Thread("c:1"), channel="c", at=at)
    work = WorkState(subtasks=(Work(number=1, skills=("python-tests",)),))
    return Task(id=TaskId("T-0"), request=request, changed_at=at, project="shop", work=work)


async def _look(office: Services) -> float:
    task, fresh = _task(office), [_signature(0), _signature(1)]

    def question(tx: Transaction) -> float:
        began = time.perf_counter()
        found = tx.failures.find_repeated(task, fresh)
        assert len(found) == 1 and len(found[0].tasks) == ALIKE
        assert not tx.proposals.is_known(UNHEARD_OF)
        assert tx.skills.too_seldom(task) == {}
        return time.perf_counter() - began

    return await office.database.read(question)
