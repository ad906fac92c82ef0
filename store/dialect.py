"""The few things the two databases say differently."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from sqlalchemy import Connection, Table
from sqlalchemy.dialects import sqlite

from store.statements import Prepared, execute, written_on

if TYPE_CHECKING:
    from sqlalchemy.dialects import postgresql


def upsert(db: Connection, table: Table, row: Mapping[str, object], *, key: tuple[str, ...]) -> None:
    """Insert a row, or give the one with this key the new values."""
    _upsert(db.dialect.name, table, key, tuple(row)).run(db, row)


def insert_once(db: Connection, table: Table, row: Mapping[str, object]) -> bool:
    """Insert a row unless one with its keys is there. Says whether it was inserted."""
    return _once(db.dialect.name, table, tuple(row)).run(db, row).rowcount == 1


def written_by_others(db: Connection) -> int | None:
    """A number that is another one whenever some other connection has committed something. None: nobody knows."""
    if db.dialect.name != "sqlite":
        return None
    return int(execute(db, "PRAGMA data_version").fetchone()[0])


def insert_each_once(db: Connection, table: Table, rows: Sequence[Mapping[str, object]]) -> int:
    """As `insert_once`, for many rows of the same columns. Says how many were inserted."""
    return _once(db.dialect.name, table, tuple(rows[0])).run_all(db, rows) if rows else 0


def rows_written(db: Connection) -> int | None:
    """How many rows this connection has written so far. None: nobody knows."""
    return written_on(db) if db.dialect.name == "sqlite" else None


@lru_cache
def _upsert(dialect: str, table: Table, key: tuple[str, ...], columns: tuple[str, ...]) -> Prepared:
    made = insert_into(dialect, table)
    news = {name: made.excluded[name] for name in columns if name not in key}
    return Prepared(made.on_conflict_do_update(index_elements=list(key), set_=news))


@lru_cache
def _once(dialect: str, table: Table, columns: tuple[str, ...]) -> Prepared:
    return Prepared(insert_into(dialect, table).on_conflict_do_nothing())


def insert_into(dialect: str, table: Table) -> "sqlite.Insert | postgresql.Insert":
    if dialect == "sqlite":
        return sqlite.insert(table)
    from sqlalchemy.dialects import postgresql  # a tenth of the program's start, and most never need it

    return postgresql.insert(table)
