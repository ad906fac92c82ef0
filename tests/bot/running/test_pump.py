"""Pumps: they never die, they say while they are in trouble, and they stop saying so when they work again."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress

import pytest

from bot.running.scheduler import Pump
from bot.services import SystemClock
from store.database import StoreUnavailable
from tests.scenarios.stage import until


async def watch(pump: Pump, look: Callable[[], bool]) -> None:
    """Let it run until the look is true."""
    running = asyncio.create_task(pump.run(SystemClock()))

    async def looked() -> bool:
        return look()

    try:
        await until(looked)
    finally:
        running.cancel()
        with suppress(asyncio.CancelledError):
            await running


def steps(*each: Exception | int) -> tuple[Callable[[], Awaitable[int]], list[int]]:
    """A step that does these things in turn, then finds nothing; and how often it was asked."""
    left, asked = list(each), list[int]()

    async def step() -> int:
        asked.append(1)
        now = left.pop(0) if left else 0
        if isinstance(now, Exception):
            raise now
        return now

    return step, asked


@pytest.mark.parametrize("problem", [StoreUnavailable("the disk is full"), ValueError("nobody foresaw this")])
async def test_it_is_in_trouble_only_until_it_works_again(problem: Exception) -> None:
    step, asked = steps(problem)
    pump = Pump(name="some", step=step, wakes_on=frozenset())
    await watch(pump, lambda: bool(pump.trouble))
    assert ("disk" in pump.trouble) or ("nobody foresaw" in pump.trouble)
    await watch(pump, lambda: len(asked) > 1 and not pump.trouble)


async def test_it_goes_on_while_it_finds_something_and_then_sleeps() -> None:
    step, asked = steps(3, 1)
    pump = Pump(name="some", step=step, wakes_on=frozenset())
    await watch(pump, lambda: len(asked) == 3)
    assert not pump.wake.is_set()


async def test_it_is_woken() -> None:
    step, asked = steps()
    pump = Pump(name="some", step=step, wakes_on=frozenset())
    await watch(pump, lambda: _woken(pump, asked))


def _woken(pump: Pump, asked: list[int]) -> bool:
    if asked:
        pump.wake.set()
    return len(asked) >= 3


async def test_what_is_due_is_not_slept_through() -> None:
    step, asked = steps()

    async def soon(_looked: object) -> float:
        return 0.02

    await watch(Pump(name="some", step=step, wakes_on=frozenset(), next_due=soon), lambda: len(asked) >= 3)
