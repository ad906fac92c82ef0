"""The one thing the two databases say differently."""

from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING

from sqlalchemy import Connection, Table
from sqlalchemy.dialects import sqlite

from store.statements import Prepared

if TYPE_CHECKING:
    from sqlalchemy.dialects import postgresql


def upsert(db: Connection, table: Table, row: Mapping[str, object], *, key: tuple[str, ...]) -> None:
    """Insert a row, or give the one with this key the new values."""
    _upsert(db.dialect.name, table, key, tuple(row)).run(db, row)


def insert_once(db: Connection, table: Table, row: Mapping[str, object]) -> bool:
    """Insert a row unless one with its keys is there. Says whether it was inserted."""
    return _once(db.dialect.name, table, tuple(row)).run(db, row).rowcount == 1


@lru_cache
def _upsert(dialect: str, table: Table, key: tuple[str, ...], columns: tuple[str, ...]) -> Prepared:
    made = _insert(dialect, table)
    news = {name: made.excluded[name] for name in columns if name not in key}
    return Prepared(made.on_conflict_do_update(index_elements=list(key), set_=news))


@lru_cache
def _once(dialect: str, table: Table, columns: tuple[str, ...]) -> Prepared:
    return Prepared(_insert(dialect, table).on_conflict_do_nothing())


def _insert(dialect: str, table: Table) -> "sqlite.Insert | postgresql.Insert":
    if dialect == "sqlite":
        return sqlite.insert(table)
    from sqlalchemy.dialects import postgresql  # a tenth of the program's start, and most never need it

    return postgresql.insert(table)
