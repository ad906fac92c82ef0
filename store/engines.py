"""How SQLite and PostgreSQL are opened: every commit on disk, one writer at a time, readers that cannot write."""

from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine import make_url

from store.statements import execute

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
    """One engine to write with and one to read with."""
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
