"""Copies a whole database into another one, SQLite or PostgreSQL: for backups, restores and moves between the two."""

from collections.abc import Callable
from pathlib import Path

from sqlalchemy import Connection, Table, delete, func, insert, inspect, make_url, select

from agents.domain.errors import OverlordError
from store import tables
from store.migrations import migrate
from store.sql import make_engines

BATCH = 1_000  # rows
Progress = Callable[[str, int], None]  # a table, and how many of its rows were copied


class NotEmpty(OverlordError):
    def __init__(self) -> None:
        super().__init__(
            "There are tasks in this database already",
            next_step="Restore into an empty one: give another folder with --home, or another OVERLORD_DATABASE_URL.",
        )


def save_copy(url: str, file: Path, tell: Progress) -> None:
    """Write everything at `url`, as of one instant, into a new SQLite file."""
    _copy(url, _sqlite(file), tell)


def load_copy(file: Path, url: str, tell: Progress) -> None:
    """Fill the empty database at `url` from such a file, which may be of an earlier version. All of it, or nothing."""
    _migrate(_sqlite(file))
    _copy(_sqlite(file), url, tell)


def require_empty(url: str) -> None:
    """Refuse a database that holds tasks, of whichever version it is; nothing in it changes, and no file is made."""
    parts = make_url(url)
    if parts.get_backend_name() == "sqlite" and not Path(parts.database or "").is_file():
        return
    _, reader = make_engines(url)
    try:
        with reader.connect() as db:
            if inspect(db).has_table(tables.events.name):
                _require_empty(db)
    finally:
        reader.dispose()


def _require_empty(db: Connection) -> None:
    if db.execute(select(tables.events.c.seq).limit(1)).first():
        raise NotEmpty


def _sqlite(file: Path) -> str:
    return f"sqlite:///{file}"


def _migrate(url: str) -> None:
    writer, _ = make_engines(url)
    with writer.begin() as db:
        migrate(db)
    writer.dispose()


def _copy(source: str, target: str, tell: Progress) -> None:
    (_, reader), (writer, _) = make_engines(source), make_engines(target)
    try:
        with reader.connect() as old, writer.begin() as new:
            migrate(new)
            _require_empty(new)
            for table in reversed(tables.metadata.sorted_tables):
                if table is not tables.schema:
                    new.execute(delete(table))  # a new database holds a few rows of its own
            for table in tables.metadata.sorted_tables:
                if table is not tables.schema:
                    tell(table.name, _copy_rows(table, old, new))
    finally:
        reader.dispose()
        writer.dispose()


def _copy_rows(table: Table, old: Connection, new: Connection) -> int:
    count = 0
    rows = old.execution_options(yield_per=BATCH).execute(select(table))
    for part in rows.mappings().partitions():
        new.execute(insert(table), [dict(row) for row in part])
        count += len(part)
    if new.dialect.name == "postgresql":
        _continue_numbers(table, new)
    return count


def _continue_numbers(table: Table, db: Connection) -> None:
    """The next row gets the number after the last one that was copied."""
    column = table.autoincrement_column
    if column is None:
        return
    last = db.execute(select(func.max(column))).scalar()
    if last is not None:
        db.execute(select(func.setval(func.pg_get_serial_sequence(table.name, column.name), last)))
