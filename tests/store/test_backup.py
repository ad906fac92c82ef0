"""A copy of a database holds all of it, whichever of the two kinds it came from and goes to."""

from pathlib import Path

import pytest
from sqlalchemy import Connection, func, select

from store import tables
from store.backup import NotEmpty, load_copy, require_empty, save_copy
from store.database import Database
from store.sql import make_engines
from store.streams import audit
from store.transaction import Transaction
from tests.store.history import VERSIONS, restore


def counts(url: str) -> dict[str, int]:
    writer, reader = make_engines(url)
    writer.dispose()
    with reader.connect() as db:
        found = {table.name: _count(db, table.name) for table in tables.metadata.sorted_tables}
    reader.dispose()
    return found


def _count(db: Connection, name: str) -> int:
    return db.execute(select(func.count()).select_from(tables.metadata.tables[name])).scalar_one()


def said(table: str, rows: int) -> None:
    """Progress is for people."""


@pytest.mark.parametrize("version", VERSIONS)
async def test_everything_comes_back_and_still_follows_from_its_facts(version: str, url: str, tmp_path: Path) -> None:
    restore(version, url)
    Database(url).close()
    save_copy(url, tmp_path / "copy", said)
    back = f"sqlite:///{tmp_path / 'back'}"
    load_copy(tmp_path / "copy", back, said)
    assert counts(back) == counts(url) and counts(url)["events"] > 100
    database = Database(back)
    try:
        found = await database.read(lambda tx: audit.examine(tx.db))
        assert (found.broken, found.apart) == ((), ())
    finally:
        database.close()


async def test_numbers_go_on_after_the_last_one(url: str, tmp_path: Path) -> None:
    source = f"sqlite:///{tmp_path / 'source'}"
    restore(VERSIONS[-1], source)
    Database(source).close()
    save_copy(source, tmp_path / "copy", said)
    load_copy(tmp_path / "copy", url, said)
    database = Database(url)

    def add_message(tx: Transaction) -> tuple[int, int]:
        last = tx.db.execute(select(func.max(tables.messages.c.id))).scalar_one()
        one = tx.db.execute(select(tables.messages).where(tables.messages.c.id == last)).mappings().one()
        fresh = {name: value for name, value in one.items() if name != "id"} | {"key": "another", "message": "another"}
        added = tx.db.execute(tables.messages.insert().values(fresh)).inserted_primary_key
        assert added is not None
        return last, added[0]

    try:
        last, added = await database.write(add_message)
        assert added > last
    finally:
        database.close()


async def test_a_database_with_tasks_is_never_written_over(url: str, tmp_path: Path) -> None:
    restore(VERSIONS[-1], url)
    Database(url).close()
    save_copy(url, tmp_path / "copy", said)
    before = counts(url)
    with pytest.raises(NotEmpty, match="tasks in this database already"):
        load_copy(tmp_path / "copy", url, said)
    assert counts(url) == before


@pytest.mark.parametrize("version", VERSIONS)
def test_a_database_with_tasks_is_known_whatever_its_version(version: str, url: str) -> None:
    restore(version, url)
    with pytest.raises(NotEmpty):
        require_empty(url)


def test_a_new_database_is_empty_and_stays_as_it_is(url: str, tmp_path: Path) -> None:
    require_empty(url)
    assert not list(tmp_path.iterdir()), "looking makes no file"
    Database(url).close()
    require_empty(url)


async def test_a_copy_that_fails_half_way_leaves_nothing(url: str, tmp_path: Path) -> None:
    source = f"sqlite:///{tmp_path / 'source'}"
    restore(VERSIONS[-1], source)
    Database(source).close()
    save_copy(source, tmp_path / "copy", said)

    def fail(table: str, rows: int) -> None:
        if table == "posts":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        load_copy(tmp_path / "copy", url, fail)
    load_copy(tmp_path / "copy", url, said)
    assert counts(url) == counts(source)
