"""The floor: one small insert and one commit of bare SQLite, WAL and synchronous=FULL, on the same disk."""

import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parents[2]


@contextmanager
def folder() -> Iterator[Path]:
    """A folder on the disk that holds the checkout: /tmp may be memory, where a commit costs nothing."""
    parent = ROOT / ".venv-bench" / "tmp"
    parent.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=parent) as made:
        yield Path(made)


@contextmanager
def bare_sqlite(place: Path) -> Iterator["BareSqlite"]:
    with closing(sqlite3.connect(place / "bare.db", isolation_level=None)) as db:
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("PRAGMA synchronous = FULL")
        db.execute("CREATE TABLE IF NOT EXISTS facts (id INTEGER PRIMARY KEY, body TEXT NOT NULL)")
        yield BareSqlite(db)


class BareSqlite:
    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db

    def commits(self, count: int) -> list[float]:
        """The seconds of each of so many commits, one after the other."""
        return [self._commit(number) for number in range(count)]

    def per_commit(self, count: int = 300) -> float:
        return sum(self.commits(count)) / count

    def _commit(self, number: int) -> float:
        before = time.perf_counter()
        self._db.execute("BEGIN IMMEDIATE")
        self._db.execute("INSERT INTO facts (body) VALUES (?)", (f"a small remark, the {number}th of its kind",))
        self._db.execute("COMMIT")
        return time.perf_counter() - before
