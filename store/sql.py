"""SQLite and PostgreSQL: how they are opened, what they say differently, and how statements are run fast.

Core takes five to fifty times as long to hand a statement to the driver as SQLite takes to run it. So statements of
the hot path are built by Core, compiled once a dialect, and run by the driver itself.
"""

from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from functools import lru_cache
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, Dialect, Engine, Executable, Insert, Table, create_engine, event
from sqlalchemy.dialects import sqlite
from sqlalchemy.engine import make_url
from sqlalchemy.engine.interfaces import DBAPICursor
from sqlalchemy.exc import DBAPIError
from sqlalchemy.sql.elements import ClauseElement

if TYPE_CHECKING:
    from sqlalchemy.dialects import postgresql

WRITE_LOCK = 4_702_111  # advisory lock of ours: facts are numbered in the order they are committed
# libpq: seconds, but tcp_user_timeout is in milliseconds
_NOTICE_A_DEAD_SERVER = {
    "connect_timeout": 5,
    "keepalives_idle": 5,
    "keepalives_interval": 2,
    "keepalives_count": 3,
    "tcp_user_timeout": 15_000,
}


def make_engines(url: str) -> tuple[Engine, Engine]:
    """One engine to write with and one that can only read. Every commit is on disk, and one writes at a time."""
    if make_url(url).get_backend_name() == "sqlite":
        return _sqlite(url, "BEGIN IMMEDIATE"), _sqlite(url, "BEGIN", read_only=True)
    return _postgres(url), _postgres(url, read_only=True)


def _sqlite(url: str, begin: str, *, read_only: bool = False) -> Engine:
    engine = create_engine(url, connect_args={"check_same_thread": False, "timeout": 5})
    # 16 MB of pages, in kibibytes, and 64 MB in the log before they are copied: hot rows are copied less often.
    # What a failing statement needs to be undone stays in memory.
    pragmas = ["foreign_keys = ON", "busy_timeout = 5000", "cache_size = -16000", "temp_store = MEMORY"]
    if read_only:
        pragmas.append("query_only = ON")
    else:
        pragmas += ["journal_mode = WAL", "synchronous = FULL", "wal_autocheckpoint = 16000"]

    @event.listens_for(engine, "connect")
    def set_up(connection: Any, _record: object) -> None:
        connection.isolation_level = None  # we say BEGIN ourselves: SQLAlchemy's default loses updates
        for pragma in pragmas:
            connection.execute(f"PRAGMA {pragma}")

    @event.listens_for(engine, "begin")
    def say_begin(db: Connection) -> None:
        execute(db, begin)

    return engine


def _postgres(url: str, *, read_only: bool = False) -> Engine:
    options = "-c statement_timeout=15000 -c idle_in_transaction_session_timeout=10000"
    if read_only:
        options += " -c default_transaction_read_only=on"
    engine = create_engine(
        url,
        pool_size=2,
        max_overflow=0,
        pool_pre_ping=True,
        # a writer must see what was committed while it waited for the lock; a reader's answers must fit each other
        isolation_level="REPEATABLE READ" if read_only else "READ COMMITTED",
        connect_args={"options": options, **_NOTICE_A_DEAD_SERVER},
    )
    if not read_only:

        @event.listens_for(engine, "begin")
        def lock(db: Connection) -> None:
            db.exec_driver_sql(f"SELECT pg_advisory_xact_lock({WRITE_LOCK})")

    return engine


class TransactionPart:
    """What a transaction can do with some of the tables. `touched`: what it changes, for those who wait for that."""

    def __init__(self, db: Connection, touched: set[str]) -> None:
        self._db = db
        self._touched = touched


Arrange = Callable[[Mapping[str, Any]], Any]  # values as the driver takes them


class Prepared:
    """Made once, and always given the same names, inside a transaction. Answers with plain tuples."""

    def __init__(self, statement: Executable) -> None:
        self._statement = statement
        self._compiled: dict[str, tuple[str, Arrange]] = {}

    def run(self, db: Connection, values: Mapping[str, Any]) -> DBAPICursor:
        text, arrange = self._compiled.get(db.dialect.name) or self._compile(db.dialect, tuple(values))
        return execute(db, text, arrange(values))

    def run_all(self, db: Connection, rows: Sequence[Mapping[str, Any]]) -> int:
        """Once for each row. Answers with how many rows of the table were written."""
        text, arrange = self._compiled.get(db.dialect.name) or self._compile(db.dialect, tuple(rows[0]))
        cursor = _driver(db).cursor()
        try:
            cursor.executemany(text, [arrange(row) for row in rows])
        except db.dialect.loaded_dbapi.Error as error:
            raise _as_core_would(db, text, error) from error
        return int(cursor.rowcount)

    def _compile(self, dialect: Dialect, names: tuple[str, ...]) -> tuple[str, Arrange]:
        assert isinstance(self._statement, ClauseElement)
        columns = names if isinstance(self._statement, Insert) else None
        made: Any = self._statement.compile(
            dialect=dialect, column_keys=columns, compile_kwargs={"render_postcompile": True}
        )
        # SQLite's driver looks for an adapter, at each call, for whatever is more than a str
        fixed = {
            name: value.value if isinstance(value, Enum) else value
            for name, value in made.params.items()
            if name not in names
        }
        self._compiled[dialect.name] = made.string, _arrange(made.positiontup, fixed)
        return self._compiled[dialect.name]


def _arrange(order: Sequence[str] | None, fixed: Mapping[str, Any]) -> Arrange:
    """By place or by name, together with the values that are written into the statement."""
    if order is None:
        return lambda values: {**fixed, **values}
    if len(order) < 2:
        return lambda values: [{**fixed, **values}[name] for name in order]
    pick = itemgetter(*order)
    return (lambda values: pick({**fixed, **values})) if fixed else pick


def execute(db: Connection, text: str, values: Sequence[object] | Mapping[str, object] = ()) -> DBAPICursor:
    """By the driver's own connection; what it raises is raised as Core would raise it."""
    try:
        rows: DBAPICursor = _driver(db).execute(text, values)
        return rows
    except db.dialect.loaded_dbapi.Error as error:
        raise _as_core_would(db, text, error) from error


def _driver(db: Connection) -> Any:
    return db.connection.dbapi_connection


def _as_core_would(db: Connection, text: str, error: Any) -> Exception:
    dialect = db.dialect
    lost = dialect.is_disconnect(error, _driver(db), None)
    raised: Exception = DBAPIError.instance(
        text, None, error, dialect.loaded_dbapi.Error, connection_invalidated=lost, dialect=dialect
    )
    return raised


def written_by_others(db: Connection) -> int | None:
    """A number that is another one whenever some other connection has committed something. None: nobody knows."""
    return int(execute(db, "PRAGMA data_version").fetchall()[0][0]) if db.dialect.name == "sqlite" else None


def rows_written(db: Connection) -> int | None:
    """How many rows this connection has written so far, whether or not they were undone. None: nobody knows."""
    return int(_driver(db).total_changes) if db.dialect.name == "sqlite" else None


def upsert(db: Connection, table: Table, row: Mapping[str, object], *, add: bool = False) -> None:
    """Insert a row, or give the one with its primary key the new values; `add`: add them to those it has."""
    _upsert(db.dialect.name, table, tuple(row), add).run(db, row)


def insert_once(db: Connection, table: Table, row: Mapping[str, object]) -> bool:
    """Insert a row unless one with its keys is there. Says whether it was inserted."""
    return _once(db.dialect.name, table, tuple(row)).run(db, row).rowcount == 1


def insert_each_once(db: Connection, table: Table, rows: Sequence[Mapping[str, object]]) -> int:
    """As `insert_once`, for many rows of the same columns. Says how many were inserted."""
    return _once(db.dialect.name, table, tuple(rows[0])).run_all(db, rows) if rows else 0


@lru_cache
def _upsert(dialect: str, table: Table, columns: tuple[str, ...], add: bool) -> Prepared:
    made, key = _insert(dialect, table), [column.name for column in table.primary_key.columns]
    news = [name for name in columns if name not in key]
    values = {name: table.c[name] + made.excluded[name] if add else made.excluded[name] for name in news}
    return Prepared(made.on_conflict_do_update(index_elements=key, set_=values))


@lru_cache
def _once(dialect: str, table: Table, columns: tuple[str, ...]) -> Prepared:
    return Prepared(_insert(dialect, table).on_conflict_do_nothing())


def _insert(dialect: str, table: Table) -> "sqlite.Insert | postgresql.Insert":
    if dialect == "sqlite":
        return sqlite.insert(table)
    from sqlalchemy.dialects import postgresql  # a tenth of the program's start, and most never need it

    return postgresql.insert(table)
