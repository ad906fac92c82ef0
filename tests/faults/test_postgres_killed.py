"""P15: PostgreSQL dies by kill -9 under load; nothing is lost or doubled, and the bot is back by itself."""

import asyncio
import logging
import random
import statistics
import time
from pathlib import Path

import pytest

from bot.app import Program, running
from store.chat.deliveries import DeliveryState
from store.database import StoreUnavailable
from tests.fakes.postgres import PrivatePostgres, private_postgres
from tests.faults.crowd import Crowd, at_rest, settings_of, without_models, wrongs

KILLS = 10
BACK_WITHIN, PATIENCE = 10.0, 60.0  # seconds after the database


async def handled(program: Program, key: str) -> bool:
    try:
        known = await program.services.database.read(lambda tx: tx.deliveries.state(key))
    except StoreUnavailable:
        return False
    return known is not None and known[0] is DeliveryState.HANDLED


async def is_back(program: Program, crowd: Crowd) -> float:
    """Seconds until a new mention has been taken, acknowledged and made a task."""
    start = time.monotonic()
    said = await crowd.send()
    while not await handled(program, said.key):
        assert time.monotonic() - start < PATIENCE, "it does not come back"
        await asyncio.sleep(0.02)
    return time.monotonic() - start


async def ten_deaths(server: PrivatePostgres, program: Program, crowd: Crowd) -> list[float]:
    chance, took = random.Random(15), []
    for _ in range(KILLS):
        await asyncio.sleep(chance.uniform(0.1, 0.5))
        await asyncio.to_thread(server.kill9)
        await asyncio.sleep(chance.uniform(0.0, 0.4))
        await asyncio.to_thread(server.start)
        took.append(await is_back(program, crowd))
    return took


@pytest.mark.timeout(300)
async def test_ten_deaths_of_the_database_lose_and_double_nothing(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.ERROR)
    with private_postgres(fsync=True) as server:
        settings = settings_of(tmp_path, server.fresh())
        async with running(settings, swap=without_models) as program:
            crowd = Crowd(program.inbox.accept)
            stop = asyncio.Event()
            sending = asyncio.create_task(crowd.keep_sending(stop, every=0.3))
            took = await ten_deaths(server, program, crowd)
            stop.set()
            await sending
            await at_rest(program.services.database, crowd)
            found = await program.services.database.read(lambda tx: wrongs(tx, crowd.acked))
    assert not found, found[:10]
    assert len(crowd.acked) == crowd.sent < crowd.tries, "some had to be sent again"
    assert statistics.median(took) <= BACK_WITHIN, took  # a machine that is shared may be slow once
    told = [record.message for record in caplog.records]
    assert told.count("the store cannot be used") == 1 and "pump failed" not in told, told
