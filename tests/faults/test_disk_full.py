"""P16: the disk fills up under SQLite. Nothing is acknowledged, nothing breaks, one alert; with room it goes on."""

import asyncio
import logging
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, Protocol

import pytest
from sqlalchemy import event

from bot.app import Program, running
from bot.doctor_check import State
from bot.messages import Said
from bot.queries.backup import check_database
from store.database import Database, StoreUnavailable
from store.transaction import Transaction
from tests.faults.crowd import Crowd, at_rest, mention, settings_of, without_models, wrongs

SIZE = 6 * 1024 * 1024
WORDS = "a long request " * 600  # 9 kB, so that a few of them fill what is left


class Disk(Protocol):
    """A small one, that a test can fill and clear."""

    async def fill(self, database: Database) -> None: ...

    def clear(self) -> None: ...


class SmallDisk:
    """A file system of its own, in memory."""

    def __init__(self, place: Path) -> None:
        self._ballast = place / "ballast"

    async def fill(self, database: Database) -> None:
        with self._ballast.open("wb", buffering=0) as ballast:
            try:
                while True:
                    ballast.write(b"x" * 4096)
            except OSError:
                return

    def clear(self) -> None:
        self._ballast.unlink()


class SmallFile:
    """A file that SQLite does not let grow, which needs no rights on the machine."""

    def __init__(self) -> None:
        self._most = 2**30

    async def fill(self, database: Database) -> None:
        def limit(connection: Any, *_: object) -> None:
            connection.execute(f"PRAGMA max_page_count = {self._most}")

        def now(tx: Transaction) -> None:
            self._most = int(tx.db.exec_driver_sql("PRAGMA page_count").scalar() or 0)
            limit(tx.db.connection.driver_connection)

        await database.write(now)
        event.listen(database._writer, "connect", limit)  # a failure makes the writer connect anew

    def clear(self) -> None:
        self._most = 2**30


@contextmanager
def small_disk(place: Path) -> Iterator[Disk]:
    command = ["mount", "-t", "tmpfs", "-o", f"size={SIZE},mode=0700", "tmpfs", str(place)]
    if os.geteuid() != 0 or not shutil.which("mount") or subprocess.run(command, capture_output=True).returncode:
        pytest.skip("a small disk can only be mounted by root; the small file beside this one needs no rights")
    try:
        yield SmallDisk(place)
    finally:
        subprocess.run(["umount", "--lazy", str(place)], check=True)


@contextmanager
def small_file(place: Path) -> Iterator[Disk]:
    yield SmallFile()


async def until_full(program: Program, accept: Callable[[int], object]) -> int:
    """Send until the first is not taken; returns its number. What fitted before that was taken in earnest."""
    for number in range(10_000, 12_000):
        try:
            await program.inbox.accept(mention(number, WORDS))
        except StoreUnavailable:
            return number
        accept(number)
    raise AssertionError("the disk never fills up")


@pytest.mark.timeout(120)
@pytest.mark.parametrize("small", [small_disk, small_file])
async def test_a_full_disk_costs_time_and_nothing_else(
    small: Callable[[Path], AbstractContextManager[Disk]], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    with small(tmp_path) as disk:
        settings = settings_of(tmp_path, f"sqlite:///{tmp_path / 'overlord.db'}")
        async with running(settings, swap=without_models) as program:
            database, crowd = program.services.database, Crowd(program.inbox.accept, words=WORDS)
            await asyncio.gather(*(crowd.send() for _ in range(10)))
            await at_rest(database, crowd)

            await disk.fill(database)
            fitted: list[int] = []
            first = await until_full(program, fitted.append)
            refused = 0
            for number in range(first, first + 20):
                with pytest.raises(StoreUnavailable):
                    await program.inbox.accept(mention(number, WORDS))
                refused += 1
                await asyncio.sleep(0.1)
            assert refused == 20, "no acknowledgement"
            assert all(check.state is State.OK for check in await database.read(check_database)), "no corruption"

            disk.clear()
            late = [mention(number, WORDS) for number in range(first, first + 20)]
            async with asyncio.timeout(40):
                await asyncio.gather(*(_until_taken(program, one) for one in late))
            crowd.acked += [f"console:{number}" for number in fitted] + [one.key for one in late]
            await at_rest(database, crowd)
            found = await database.read(lambda tx: wrongs(tx, crowd.acked))
    assert not found, found[:10]
    told = [record.message for record in caplog.records if record.levelno >= logging.ERROR]
    assert told == ["the store cannot be used"], "one alert"
    assert any(record.message == "the store can be used again" for record in caplog.records)


async def _until_taken(program: Program, said: Said) -> None:
    while True:
        try:
            await program.inbox.accept(said)
        except StoreUnavailable:
            await asyncio.sleep(0.05)
        else:
            return
