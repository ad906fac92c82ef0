"""A file that is no database, or not a whole one: one clear sentence, in every command."""

import os
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from agents.domain.ids import Thread
from store.database import Database, StoreUnusable
from store.migrations import ForeignDatabase
from tests.builders.shell import Shell

PAGE = 4096


def garbage(path: Path) -> None:
    path.write_bytes(os.urandom(3 * PAGE))


def begins_well(path: Path) -> None:
    path.write_bytes(b"SQLite format 3\0" + os.urandom(3 * PAGE))


def cut_in_half(path: Path) -> None:
    Database(f"sqlite:///{path}").close()
    path.write_bytes(path.read_bytes()[: 10 * PAGE])


def of_another_program(path: Path) -> None:
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE bookmarks (url)")


def with_a_version_that_is_none(path: Path) -> None:
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE schema_version (other)")


SPOILS = (garbage, begins_well, cut_in_half, of_another_program, with_a_version_that_is_none)


@pytest.mark.parametrize("spoil", SPOILS)
def test_it_is_refused_and_left_as_it_is(tmp_path: Path, spoil: Callable[[Path], None]) -> None:
    path = tmp_path / "overlord.db"
    spoil(path)
    with pytest.raises((StoreUnusable, ForeignDatabase)) as caught:
        Database(f"sqlite:///{path}")
    assert "OVERLORD_DATABASE_URL" in caught.value.next_step
    if spoil is of_another_program:
        with sqlite3.connect(path) as db:
            assert db.execute("SELECT name FROM sqlite_master").fetchall() == [("bookmarks",)]


@pytest.mark.parametrize("command", ["up", "tasks", "decisions", "proposals", "people", "doctor"])
def test_every_command_says_it_in_a_sentence(tmp_path: Path, command: str) -> None:
    shell = Shell(tmp_path)
    shell.home.mkdir(mode=0o700)
    garbage(shell.home / "overlord.db")
    offline = ["--offline"] if command == "doctor" else []
    told = shell.run(command, *offline, code=1)  # what is not caught would be raised here
    said = "The database cannot be used: file is not a database"
    assert said in told.out + told.err


async def test_what_is_spoilt_while_it_runs_is_told_too(tmp_path: Path) -> None:
    path = tmp_path / "overlord.db"
    Database(f"sqlite:///{path}").close()
    database = Database(f"sqlite:///{path}")
    size = path.stat().st_size
    with path.open("r+b") as file:
        file.seek(2 * PAGE)
        file.write(os.urandom(size - 2 * PAGE))
    try:
        with pytest.raises(StoreUnusable, match="damaged"):
            await database.read(lambda tx: tx.threads.find(Thread("console:general:1")))
    finally:
        database.close()
