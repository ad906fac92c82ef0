"""P19: two bots on one database, killed at random by kill -9 while people talk to both; nothing is lost or doubled."""

import asyncio
import contextlib
import random
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from pydantic import TypeAdapter

from bot.app import running
from bot.messages import Said
from store.database import Database, StoreUnavailable
from tests.fakes.clock import ScaledClock
from tests.fakes.postgres import private_postgres
from tests.faults.crowd import Crowd, at_rest, settings_of, without_models, wrongs
from tests.faults.killing import Main, Mortal, Ready

KILLS = 10
SCALE = 20.0  # a minute passes in three seconds, so that leases of the dead run out while the test waits
WHAT_IS_SAID: TypeAdapter[Said] = TypeAdapter(Said)


def a_bot(home: Path, url: str) -> Main:
    """The whole program, with a door through which a test brings deliveries: one a line, answered once it is kept."""
    settings, since = settings_of(home, url), time.time()

    async def main(ready: Ready) -> None:
        async with running(settings, ScaledClock(SCALE, since), without_models) as program:

            async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
                with contextlib.suppress(StoreUnavailable):  # then there is no answer
                    await program.inbox.accept(WHAT_IS_SAID.validate_json(await reader.readline()))
                    writer.write(b"kept\n")
                writer.close()

            door = await asyncio.start_server(serve, "127.0.0.1")
            ready(str(door.sockets[0].getsockname()[1]))
            await asyncio.Event().wait()

    return main


class Sender:
    """As a provider does: brings it to whichever bot answers, and again until it is acknowledged."""

    def __init__(self, bots: list[Mortal]) -> None:
        self._bots, self._chance = bots, random.Random(19)

    async def __call__(self, said: Said) -> bool:
        bot = self._chance.choice(self._bots)
        async with asyncio.timeout(30):
            reader, writer = await asyncio.open_connection("127.0.0.1", int(bot.address))
            try:
                writer.write(WHAT_IS_SAID.dump_json(said) + b"\n")
                if await reader.readline() != b"kept\n":
                    raise ConnectionResetError
            finally:
                writer.close()
        return True


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path / 'overlord.db'}"
        return
    with private_postgres(fsync=True) as server:
        yield server.fresh()


async def kill_at_random(bots: list[Mortal], crowd: Crowd) -> None:
    chance = random.Random(9)
    for _ in range(KILLS):
        await asyncio.sleep(chance.uniform(0.05, 0.6))
        bot = chance.choice(bots)
        bot.kill()
        bot.start()
    assert sum(bot.pid > 0 for bot in bots) == 2 and crowd.sent


@pytest.mark.timeout(240)
async def test_two_bots_killed_at_random_lose_and_double_nothing(tmp_path: Path, place: str) -> None:
    Database(place).close()
    bots = [Mortal(a_bot(tmp_path / name, place), tmp_path / f"{name}.log") for name in ("one", "two")]
    crowd, stop = Crowd(Sender(bots)), asyncio.Event()
    try:
        for bot in bots:
            bot.start()
        sending = asyncio.create_task(crowd.keep_sending(stop, every=0.08))
        await kill_at_random(bots, crowd)
        stop.set()
        await sending
        database = Database(place)
        await at_rest(database, crowd)
        found = await database.read(lambda tx: wrongs(tx, crowd.acked))
        database.close()
    finally:
        for bot in bots:
            bot.kill()
    assert not found, found[:10]
    assert len(crowd.acked) == crowd.sent
