"""Statements of the hot path: built by Core, compiled once a dialect, run by the driver itself.

Core takes five to fifty times as long to hand a statement to the driver as SQLite takes to run it.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from operator import itemgetter
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


@dataclass(frozen=True, slots=True, kw_only=True)
class _Compiled:
    text: str
    arranged: Callable[[Mapping[str, Any]], Any]  # the values as the driver takes them


class Prepared:
    """Made once, and always given the same names, inside a transaction. Answers with plain tuples."""

    def __init__(self, statement: Executable) -> None:
        self._statement = statement
        self._compiled: dict[str, _Compiled] = {}

    def run(self, db: Connection, values: Mapping[str, Any]) -> Rows:
        made = self._compiled.get(db.dialect.name) or self._compile(db.dialect, tuple(values))
        try:
            rows: Rows = db.connection.dbapi_connection.execute(made.text, made.arranged(values))  # type: ignore[union-attr]
            return rows
        except db.dialect.loaded_dbapi.Error as error:
            raise _as_core_would(db, made.text, error) from error

    def run_all(self, db: Connection, rows: Sequence[Mapping[str, Any]]) -> int:
        """Once for each row. Answers with how many rows of the table were written."""
        made = self._compiled.get(db.dialect.name) or self._compile(db.dialect, tuple(rows[0]))
        cursor = _driver(db).cursor()
        try:
            cursor.executemany(made.text, [made.arranged(row) for row in rows])
        except db.dialect.loaded_dbapi.Error as error:
            raise _as_core_would(db, made.text, error) from error
        return int(cursor.rowcount)

    def _compile(self, dialect: Dialect, names: tuple[str, ...]) -> _Compiled:
        assert isinstance(self._statement, ClauseElement)
        columns = names if isinstance(self._statement, Insert) else None
        made: Any = self._statement.compile(
            dialect=dialect, column_keys=columns, compile_kwargs={"render_postcompile": True}
        )
        fixed = {name: _plain(value) for name, value in made.params.items() if name not in names}
        self._compiled[dialect.name] = _Compiled(text=made.string, arranged=_arranged(made.positiontup, fixed))
        return self._compiled[dialect.name]


def execute(db: Connection, text: str, values: Sequence[object] | Mapping[str, object] = ()) -> Rows:
    """By the driver's own connection; what it raises is raised as Core would raise it."""
    try:
        rows: Rows = _driver(db).execute(text, values)
        return rows
    except db.dialect.loaded_dbapi.Error as error:
        raise _as_core_would(db, text, error) from error


def written_on(db: Connection) -> int:
    """Rows that SQLite has written on this connection, whether or not they were undone."""
    return int(_driver(db).total_changes)


def _driver(db: Connection) -> Any:
    return db.connection.dbapi_connection


def _as_core_would(db: Connection, text: str, error: Any) -> Exception:
    dialect = db.dialect
    lost = dialect.is_disconnect(error, _driver(db), None)
    raised: Exception = DBAPIError.instance(
        text, None, error, dialect.loaded_dbapi.Error, connection_invalidated=lost, dialect=dialect
    )
    return raised


def _arranged(order: Sequence[str] | None, fixed: Mapping[str, Any]) -> Callable[[Mapping[str, Any]], Any]:
    """By place or by name, together with the values that are written into the statement."""
    if order is None:
        return (lambda values: {**fixed, **values}) if fixed else _as_given
    if len(order) < 2:
        return lambda values: [{**fixed, **values}[name] for name in order]
    pick = itemgetter(*order)
    return (lambda values: pick({**fixed, **values})) if fixed else pick


def _as_given(values: Mapping[str, Any]) -> Mapping[str, Any]:
    return values


def _plain(value: object) -> object:
    """SQLite's driver looks for an adapter, at each call, for whatever is more than a str."""
    return value.value if isinstance(value, Enum) else value
