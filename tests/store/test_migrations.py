"""Bringing a database to this program's tables: fresh, again, in a race, and never backwards."""

import subprocess
import sys
from collections.abc import Sequence
from contextlib import closing
from typing import Any

import pytest
from sqlalchemy import Connection, Row, create_engine, delete, select, update

from agents.domain import events as e
from agents.domain.errors import OverlordError
from store import tables
from store.codec import Cause, join_prose
from store.database import Database, StoreUnavailable
from store.migrations import _LET_FACTS_GO, FIRST, LATEST, NewerDatabase, OldDatabase
from store.streams import audit
from store.streams.log import Which
from tests.builders.older_store import TWENTY_FOURTH
from tests.store.queue import Queue
from tests.store.room import ANA, Room, office_of

RACERS = 4
RACER = "import sys; from store.database import Database; Database(sys.argv[1]).close()"


def version_of(url: str) -> list[int]:
    engine = create_engine(url)
    with engine.connect() as db:
        found = list(db.execute(select(tables.schema.c.version)).scalars())
    engine.dispose()
    return found


def test_a_fresh_database_gets_every_table_and_the_version(url: str) -> None:
    Database(url).close()
    engine = create_engine(url)
    with engine.connect() as db:
        for table in tables.metadata.sorted_tables:
            assert db.execute(select(table).limit(1)).all() is not None
    engine.dispose()
    assert version_of(url) == [LATEST]


def test_opening_it_again_changes_nothing(url: str) -> None:
    Database(url).close()
    Database(url).close()
    assert version_of(url) == [LATEST]


def test_processes_that_race_to_make_the_tables_all_succeed(url: str) -> None:
    racers = [
        subprocess.Popen([sys.executable, "-c", RACER, url], stderr=subprocess.PIPE, text=True) for _ in range(RACERS)
    ]
    told = [racer.communicate(timeout=120)[1] for racer in racers]
    assert [racer.returncode for racer in racers] == [0] * RACERS, "\n".join(told)
    assert version_of(url) == [LATEST]


@pytest.mark.parametrize(
    ("version", "error", "said"),
    [(LATEST + 1, NewerDatabase, "newer Overlord"), (FIRST - 1, OldDatabase, "before the first release.*Overlord 0.1")],
)
def test_a_newer_database_is_refused_and_left_alone_and_so_is_one_from_before_the_first_release(
    url: str, version: int, error: type[OverlordError], said: str
) -> None:
    Database(url).close()
    engine = create_engine(url)
    with engine.begin() as db:
        db.execute(update(tables.schema).values(version=version))
    engine.dispose()
    with pytest.raises(error, match=f"version {version}.*{said}"):
        Database(url)
    assert version_of(url) == [version]


def test_a_database_that_is_not_there_is_told_in_words() -> None:
    with pytest.raises(StoreUnavailable, match="cannot be written"):
        Database("sqlite:////nowhere/at/all/overlord.db")


EIGHTEENTH = (
    *TWENTY_FOURTH,
    "DROP TABLE acts",
    "DROP TABLE pauses",
    "DROP TABLE put_off",
    "DROP TABLE runs",
    *(f"ALTER TABLE calls DROP COLUMN {name}" for name in ("job", "step", "error", "told")),
)
FIFTEENTH = (
    *EIGHTEENTH,
    *(f"ALTER TABLE {table} RENAME COLUMN stream TO task" for table in ("events", "snapshots", "timers", "jobs")),
    *(f"ALTER TABLE {table} DROP COLUMN stream" for table in ("decisions", "proposals")),
    "UPDATE schema_version SET version = 15",
)
THIRTEENTH = (
    *FIFTEENTH,
    "DROP TABLE totals",
    "DROP TABLE listings",
    "DROP INDEX tasks_under_way",
    "CREATE INDEX ix_snapshots_ended ON snapshots (ended)",
    "DROP INDEX decisions_to_make",
    "CREATE INDEX open_decisions ON decisions (state, opened_at)",
    "ALTER TABLE decisions DROP COLUMN put_to",
    "ALTER TABLE decisions DROP COLUMN owner",
    "ALTER TABLE decisions DROP COLUMN channel",
    "UPDATE schema_version SET version = 13",
)
TENTH = (
    *THIRTEENTH,
    "DROP TABLE link_requests",
    "ALTER TABLE links DROP COLUMN thread",
    "DROP TABLE sessions",
    "DROP INDEX decisions_by_delivery",
    "UPDATE schema_version SET version = 10",
)


def go_back(db: Connection, statements: Sequence[str]) -> None:
    """Make the database one of an earlier version."""
    let_facts_change(db)
    for statement in ("DROP TABLE words", "DROP TABLE archived", *statements):
        db.exec_driver_sql(statement)


def let_facts_change(db: Connection) -> None:
    """And put their words into them, as earlier versions did."""
    for statement in _LET_FACTS_GO[db.dialect.name]:
        db.exec_driver_sql(statement)
    known, prose = tables.events, tables.words
    written = select(known.c.seq, known.c.body, prose.c.text).outerjoin(prose, tables.WORDS_OF_FACT)
    for seq, body, text in db.execute(written).all():
        db.execute(update(known).where(known.c.seq == seq).values(body=join_prose(body, text)))
    db.execute(delete(prose))


async def test_a_database_of_the_version_before_keeps_its_tasks_and_takes_new_facts(url: str) -> None:
    with closing(Database(url)) as database:
        room = Room(office_of(database))
        task = await room.task()
        with database._writer.begin() as db:
            go_back(db, TENTH)
    assert version_of(url) == [FIRST]
    with closing(Database(url)) as database:
        before = await _version(database)
        await Room(office_of(database)).say(ANA, "please hurry", task.request.thread)
        assert await _version(database) == before + 1 == await _saved(database) + 1
        assert await database.read(lambda tx: audit.examine(tx.db).apart) == ()
    assert version_of(url) == [LATEST]


async def test_tasks_of_the_version_before_are_found_by_their_words_and_their_project(url: str) -> None:
    with closing(Database(url)) as database:
        room = Room(office_of(database))
        task, later = await room.task(), await room.task()
        chosen = e.ProjectChosen(task=later.id, at=room.clock.now(), project="Shop", by=None, why="named")
        await database.write(lambda tx: tx.log.append(later.id, [chosen], Cause(actor=ANA, delivery="d")))
        with database._writer.begin() as db:
            go_back(db, THIRTEENTH)
    with closing(Database(url)) as database:
        for words, found in (("LOGIN add", [later.id, task.id]), ("shop", [later.id]), ("t-1", [task.id])):
            which = Which(search=words)
            tasks = await database.read(lambda tx, which=which: tx.log.tasks(ended=False, which=which))  # type: ignore[misc]
            assert [each.id for each in tasks] == found
        assert await database.read(lambda tx: audit.examine(tx.db).apart) == ()


async def _saved(database: Database) -> int:
    return int(await database.read(lambda tx: tx.db.execute(select(tables.snapshots.c.saved)).scalar_one()))


async def _version(database: Database) -> int:
    return int(await database.read(lambda tx: tx.db.execute(select(tables.snapshots.c.version)).scalar_one()))


async def test_jobs_of_the_version_before_are_there_under_their_old_names_and_are_asked_for_once(url: str) -> None:
    with closing(Database(url)) as database:
        room = Room(office_of(database))
        queue = Queue(room, await room.task())
        await queue.ask("plan", "review")
        before = await _jobs(database)
        with database._writer.begin() as db:
            go_back(db, TENTH)
    with closing(Database(url)) as database:
        assert len(before) == 2 and await _jobs(database) == before
        queue = Queue(Room(office_of(database)), queue.task)
        await queue.ask("plan", "review")
        taken = await queue.claim()
        assert {job.id for job in taken} == {row.id for row in before}
        for job in taken:
            await queue.do(lambda tx, job=job: tx.jobs.finish(job.id, job.fence))  # type: ignore[misc]
        assert not await queue.do(lambda tx: tx.jobs.any_unfinished())
    assert version_of(url) == [LATEST]


async def _jobs(database: Database) -> Sequence[Row[Any]]:
    return await database.read(lambda tx: tx.db.execute(select(tables.jobs).order_by(tables.jobs.c.id)).all())
