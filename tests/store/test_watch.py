"""Pumps sleep until they are woken or due; one look a second notices what nobody tells them."""

import asyncio
import time
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path

from bot.live import ChangeNotifier
from bot.running.health import TimedLoop
from bot.running.scheduler import Pump, Watch
from bot.services import SystemClock
from store.database import Database, StoreUnavailable
from tests.fakes.clock import ScaledClock
from tests.store.room import Room, office_of


async def test_what_another_process_wrote_is_noticed_and_what_we_wrote_is_not(url: str) -> None:
    with closing(Database(url)) as ours, closing(Database(url)) as another:
        mine, theirs = Room(office_of(ours)), Room(office_of(another))
        watch = Watch(ours, SystemClock(), ChangeNotifier())
        await watch.has_changed()
        assert not await watch.has_changed()
        await theirs.task()
        assert await watch.has_changed()
        assert not await watch.has_changed()
        await mine.task()
        if url.startswith("sqlite"):  # PostgreSQL counts what we wrote too: a look too many, once
            assert not await watch.has_changed()


async def test_a_clock_that_is_set_is_noticed(tmp_path: Path) -> None:
    with closing(Database(f"sqlite:///{tmp_path / 'overlord.db'}")) as database:
        clock = ScaledClock(1.0, time.time())
        watch = Watch(database, clock, ChangeNotifier())
        await watch.has_changed()
        for jump in (timedelta(hours=1), timedelta(hours=-2), timedelta(0)):
            clock.shift += jump
            assert await watch.has_changed() == bool(jump)


async def test_after_an_outage_everybody_looks(tmp_path: Path) -> None:
    with closing(Flickering(f"sqlite:///{tmp_path / 'overlord.db'}")) as database:
        watch = Watch(database, SystemClock(), ChangeNotifier())
        await watch.has_changed()
        database.away = True
        assert not await watch.has_changed()
        database.away = False
        assert [await watch.has_changed() for _ in range(2)] == [True, False]


class Flickering(Database):
    away = False

    async def others_wrote(self) -> bool:
        if self.away:
            raise StoreUnavailable("it is away")
        return await super().others_wrote()


async def test_what_comes_due_between_the_look_and_the_question_is_not_slept_over() -> None:
    clock, looks = SystemClock(), list[datetime]()
    due = clock.now()

    async def step() -> int:
        looks.append(clock.now())
        return 0

    async def next_due(since: datetime) -> float | None:
        nonlocal due
        if len(looks) == 1:
            due = clock.now()  # after the look
        return 0.0 if due > since else None

    pump = Pump("one", step, frozenset(), next_due)
    running = asyncio.create_task(pump.run(clock))
    await asyncio.sleep(0.1)
    running.cancel()
    assert len(looks) == 2, "and then it sleeps"


async def test_everybody_is_woken_when_nobody_can_say_what_changed() -> None:
    bell, events = ChangeNotifier(), [asyncio.Event(), asyncio.Event()]
    for topic, event in zip(("facts", "posts"), events, strict=True):
        bell.wake_on(frozenset({topic}), event)
    rings = bell.changes()
    await anext(rings)
    bell.notify_all()
    assert all(event.is_set() for event in events) and await anext(rings) == {"needs"}


def test_the_loop_knows_how_long_it_was_held_up() -> None:
    async def work() -> float:
        await asyncio.sleep(0)
        time.sleep(0.05)  # noqa: ASYNC251
        await asyncio.sleep(0.01)
        loop = asyncio.get_running_loop()
        assert isinstance(loop, TimedLoop)
        return loop.worst_stall

    with asyncio.Runner(loop_factory=TimedLoop) as runner:
        assert 0.05 <= runner.run(work()) < 5
