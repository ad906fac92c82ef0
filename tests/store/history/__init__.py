"""Databases as earlier versions wrote them, brought back to life."""

import gzip
import sqlite3
from pathlib import Path

import psycopg

FOLDER = Path(__file__).parent
VERSIONS = sorted({path.name.partition(".sqlite")[0] for path in FOLDER.glob("*.sqlite.sql.gz")})


def restore(version: str, url: str) -> None:
    """Fill the empty database at `url` with what that version left."""
    kind, _, place = url.partition("://")
    dialect = kind.partition("+")[0].replace("postgresql", "postgres")
    script = gzip.decompress((FOLDER / f"{version}.{dialect}.sql.gz").read_bytes()).decode()
    if dialect == "sqlite":
        with sqlite3.connect(place.removeprefix("/")) as file:
            file.executescript(script)
        file.close()
        return
    plain = "\n".join(line for line in script.splitlines() if not line.startswith("\\"))  # psql's own commands
    with psycopg.connect(f"postgresql://{place}", autocommit=True) as server:
        server.execute(plain.encode())
