"""Statements of the hot path: built by Core, compiled once a dialect, run by the driver itself.

Core takes five to fifty times as long to hand a statement to the driver as SQLite takes to run it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from sqlalchemy import Connection, Dialect, Executable, Insert
from sqlalchemy.exc import DBAPIError
from sqlalchemy.sql.elements import ClauseElement


class Rows(Protocol):
    """What sqlite3 and psycopg both answer with."""

    @property
    def rowcount(self) -> int: ...

    def fetchone(self) -> Any: ...

    def fetchall(self) -> list[Any]: ...


@dataclass(frozen=True, slots=True)
class _Compiled:
    text: str
    order: Sequence[str] | None  # of the values, where the driver takes them by place
    fixed: Mapping[str, object]  # values that are written into the statement


class Prepared:
    """Made once, and always given the same names. Answers with plain tuples."""

    def __init__(self, statement: Executable) -> None:
        self._statement = statement
        self._compiled: dict[str, _Compiled] = {}

    def run(self, db: Connection, values: Mapping[str, Any]) -> Rows:
        """Inside the connection's transaction, which is begun if there is none yet."""
        if not db.in_transaction():
            db.begin()
        made = self._compiled.get(db.dialect.name) or self._compile(db.dialect, tuple(values))
        given = {**made.fixed, **values} if made.fixed else values
        return execute(db, made.text, given if made.order is None else [given[name] for name in made.order])

    def _compile(self, dialect: Dialect, names: tuple[str, ...]) -> _Compiled:
        assert isinstance(self._statement, ClauseElement)
        columns = names if isinstance(self._statement, Insert) else None
        made: Any = self._statement.compile(
            dialect=dialect, column_keys=columns, compile_kwargs={"render_postcompile": True}
        )
        fixed = {name: value for name, value in made.params.items() if name not in names}
        self._compiled[dialect.name] = _Compiled(made.string, made.positiontup, fixed)
        return self._compiled[dialect.name]


def execute(db: Connection, text: str, values: Sequence[object] | Mapping[str, object] = ()) -> Rows:
    """By the driver's own connection; what it raises is raised as Core would raise it."""
    driver: Any = db.connection.dbapi_connection
    try:
        rows: Rows = driver.execute(text, values)
        return rows
    except db.dialect.loaded_dbapi.Error as error:
        lost = db.dialect.is_disconnect(error, driver, None)
        raise DBAPIError.instance(
            text, None, error, db.dialect.loaded_dbapi.Error, connection_invalidated=lost, dialect=db.dialect
        ) from error
