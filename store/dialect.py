"""The one thing the two databases say differently."""

from collections.abc import Mapping
from functools import lru_cache

from sqlalchemy import Connection, Table
from sqlalchemy.dialects import postgresql, sqlite

from store.statements import Prepared


def upsert(
    db: Connection, table: Table, row: Mapping[str, object], *, key: tuple[str, ...], changes: tuple[str, ...] = ()
) -> None:
    """Insert a row, or give the one with this key the new values; with `changes`, only those."""
    _upsert(db.dialect.name, table, key, changes or tuple(name for name in row if name not in key)).run(db, row)


def insert_once(db: Connection, table: Table, row: Mapping[str, object]) -> bool:
    """Insert a row unless one with its keys is there. Says whether it was inserted."""
    return _once(db.dialect.name, table).run(db, row).rowcount == 1


@lru_cache
def _upsert(dialect: str, table: Table, key: tuple[str, ...], changes: tuple[str, ...]) -> Prepared:
    made = postgresql.insert(table) if dialect == "postgresql" else sqlite.insert(table)
    news = {name: made.excluded[name] for name in changes}
    return Prepared(made.on_conflict_do_update(index_elements=list(key), set_=news))


@lru_cache
def _once(dialect: str, table: Table) -> Prepared:
    made = postgresql.insert(table) if dialect == "postgresql" else sqlite.insert(table)
    return Prepared(made.on_conflict_do_nothing())
