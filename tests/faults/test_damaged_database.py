"""The database turns to garbage while the program runs: it says so and ends; what is not kept is not taken."""

import asyncio
import contextlib
import logging
import os
from pathlib import Path

import pytest

from bot import app
from bot.app import Program
from store.database import Database, StoreUnavailable, StoreUnusable
from tests.faults.crowd import mention, settings_of

PATIENCE = 30.0


def garble(file: Path) -> None:
    """All of it, and what is not in it yet: as a broken disk or a careless copy leaves it."""
    for each in file.parent.glob(f"{file.name}*"):
        with each.open("r+b") as opened:
            opened.write(os.urandom(each.stat().st_size))


@pytest.mark.timeout(90)
async def test_a_program_whose_database_breaks_ends_with_words(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    file = tmp_path / "overlord.db"
    settings = settings_of(tmp_path, f"sqlite:///{file}")
    ready = asyncio.get_running_loop().create_future()
    whole = asyncio.create_task(app.run(settings, ready.set_result))
    program: Program = await asyncio.wait_for(ready, PATIENCE)
    await program.inbox.accept(mention(1))
    garble(file)
    refused = 0
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(PATIENCE):
            for number in range(2, 10_000):
                if whole.done():
                    break
                try:
                    await program.inbox.accept(mention(number))
                except StoreUnavailable:
                    refused += 1
                await asyncio.sleep(0.01)
    with pytest.raises(StoreUnusable) as caught:
        await asyncio.wait_for(whole, PATIENCE)
    assert refused and "Put the last good backup in its place" in caught.value.next_step
    told = [record.message for record in caplog.records if record.levelno >= logging.ERROR]
    assert told.count("the store cannot be used") == 1


async def test_what_meets_the_damage_is_told_and_nobody_tries_for_ever(tmp_path: Path) -> None:
    file = tmp_path / "overlord.db"
    database = Database(f"sqlite:///{file}")
    told = asyncio.Event()
    loop = asyncio.get_running_loop()
    database.on_damage = lambda: loop.call_soon_threadsafe(told.set)
    garble(file)
    with pytest.raises(StoreUnusable):
        await database.read(lambda tx: tx.posts.is_wanted("x"))
    await asyncio.wait_for(told.wait(), PATIENCE)
    assert isinstance(database.damage, StoreUnusable)
    with contextlib.suppress(StoreUnavailable):
        await asyncio.wait_for(database.insist(lambda tx: tx.posts.is_wanted("x")), PATIENCE)
    database.close()
