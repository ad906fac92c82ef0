"""Bring a database to this program's tables. Each step runs once, in order, under the write lock."""

import json
from collections.abc import Callable, Iterator

from sqlalchemy import Connection, Table, insert, inspect, select, update

from agents.domain.errors import OverlordError
from agents.domain.task.fold import replay
from agents.domain.task.task import Task
from store import tables
from store.codec import load_event
from store.running import totals
from store.streams.kinds import TASK
from store.streams.listings import row_of

LATEST = 18


def _calls(db: Connection) -> None:
    tables.metadata.create_all(db, tables=[tables.calls, tables.breakers])


def _lanes(db: Connection) -> None:
    db.exec_driver_sql("ALTER TABLE jobs ADD COLUMN lane VARCHAR NOT NULL DEFAULT ''")


def _turns(db: Connection) -> None:
    tables.metadata.create_all(db, tables=[tables.turns])


def _pulls(db: Connection) -> None:
    tables.metadata.create_all(db, tables=[tables.pulls, tables.pull_comments])


def _evaluations(db: Connection) -> None:
    tables.metadata.create_all(db, tables=[tables.evaluations])


def _waits(db: Connection) -> None:
    tables.metadata.create_all(db, tables=[tables.waits])


def _less_to_write(db: Connection) -> None:
    db.exec_driver_sql("ALTER TABLE snapshots ADD COLUMN saved INTEGER NOT NULL DEFAULT 0")
    db.exec_driver_sql("UPDATE snapshots SET saved = version")
    db.exec_driver_sql("DROP INDEX deliveries_to_settle")
    for statement in tables.FEW_DELIVERIES:
        db.exec_driver_sql(statement)


def _proposals(db: Connection) -> None:
    tables.metadata.create_all(db, tables=[tables.proposals])


def _found_at_once(db: Connection) -> None:
    """The key of jobs was a random-looking id: each new job changed another page of its index."""
    _rename_to_stream(db, "jobs")
    _make_again(db, tables.jobs)
    db.exec_driver_sql("CREATE INDEX ix_people_merged_into ON people (merged_into)")


def _prunable(db: Connection) -> None:
    db.exec_driver_sql("CREATE INDEX decisions_by_delivery ON decisions (delivery)")


def _sessions(db: Connection) -> None:
    """Until now a session was its cookie. Those are not known any more: their people sign in again."""
    tables.metadata.create_all(db, tables=[tables.sessions])


def _confirmed_links(db: Connection) -> None:
    """Codes that were made before live for minutes, and say nothing of where they were asked for."""
    db.exec_driver_sql("ALTER TABLE links ADD COLUMN thread VARCHAR NOT NULL DEFAULT ''")
    db.exec_driver_sql("DELETE FROM links")
    tables.metadata.create_all(db, tables=[tables.link_requests])


def _listings(db: Connection) -> None:
    """A row for each task, from its facts."""
    tables.listings.create(db)
    for task in _replay_all(db, "task"):
        db.execute(insert(tables.listings).values(**row_of(task)))
    db.exec_driver_sql("DROP INDEX ix_snapshots_ended")
    db.exec_driver_sql("CREATE INDEX tasks_under_way ON snapshots (ended, number)")
    for column in ("owner", "channel"):
        db.exec_driver_sql(f"ALTER TABLE decisions ADD COLUMN {column} VARCHAR NOT NULL DEFAULT ''")
        of_task = f"SELECT {column} FROM listings WHERE listings.task = decisions.task"
        db.exec_driver_sql(f"UPDATE decisions SET {column} = ({of_task})")
    db.exec_driver_sql("ALTER TABLE decisions ADD COLUMN put_to VARCHAR NOT NULL DEFAULT ''")
    known = tables.decisions
    for id, body in db.exec_driver_sql("SELECT id, body FROM decisions").all():
        db.execute(update(known).where(known.c.id == id).values(put_to=json.loads(body)["put_to"]))
    db.exec_driver_sql("DROP INDEX open_decisions")
    db.exec_driver_sql(tables.QUESTIONS)


def _totals(db: Connection) -> None:
    tables.totals.create(db)
    sums = {
        totals.MODEL_DOLLARS: "SELECT SUM(cost) FROM calls",
        totals.MODEL_CALLS: "SELECT SUM(attempts) FROM calls",
        totals.LEASE_TAKEOVERS: "SELECT SUM(attempts) FROM jobs",
    }
    for name, asked in sums.items():
        totals.add(db, name, db.exec_driver_sql(asked).scalar() or 0)


def _streams(db: Connection) -> None:
    """Until now every stream was a task's."""
    for table in ("events", "snapshots", "timers", "jobs"):
        _rename_to_stream(db, table)
    db.exec_driver_sql("DROP INDEX tasks_under_way")
    _make_again(db, tables.snapshots)
    for table in ("decisions", "proposals"):
        if "stream" not in _columns(db, table):
            db.exec_driver_sql(f"ALTER TABLE {table} ADD COLUMN stream VARCHAR NOT NULL DEFAULT ''")
        db.exec_driver_sql(f"UPDATE {table} SET stream = task")


def _rename_to_stream(db: Connection, table: str) -> None:
    """Idempotent: a table that an earlier step made anew has today's columns."""
    if "task" in _columns(db, table):
        db.exec_driver_sql(f"ALTER TABLE {table} RENAME COLUMN task TO stream")


def _columns(db: Connection, table: str) -> set[str]:
    return {column["name"] for column in inspect(db).get_columns(table)}


def _make_again(db: Connection, table: Table) -> None:
    """With today's keys and constraints, and all its rows."""
    names = ", ".join(column.name for column in table.columns)
    db.exec_driver_sql(f"CREATE TABLE rows_before AS SELECT {names} FROM {table.name}")
    db.exec_driver_sql(f"DROP TABLE {table.name}")
    table.create(db)
    db.exec_driver_sql(f"INSERT INTO {table.name} ({names}) SELECT {names} FROM rows_before")
    db.exec_driver_sql("DROP TABLE rows_before")


def _parts(db: Connection) -> None:
    """A task is made of parts now: what was saved of each is made again from its facts."""
    saved = tables.snapshots
    for task in _replay_all(db, "stream"):
        now = update(saved).where(saved.c.stream == task.id)
        db.execute(now.values(body=TASK.dump(task), saved=saved.c.version))


def _replay_all(db: Connection, key: str) -> Iterator[Task]:
    """Every task there is; `key`: how the column that names it is called by then."""
    for id in db.exec_driver_sql(f"SELECT {key} FROM snapshots WHERE {key} LIKE 'T-%%'").scalars().all():
        history = db.exec_driver_sql(f"SELECT kind, body FROM events WHERE {key} = '{id}' ORDER BY version")
        yield replay(load_event(kind, body) for kind, body in history)


def _words_and_archive(db: Connection) -> None:
    """Facts that were written before keep their prose: their hash is over it."""
    tables.metadata.create_all(db, tables=[tables.words, tables.archived])
    for statement in (*_LET_FACTS_GO[db.dialect.name], *_KEEP_FACTS[db.dialect.name]):
        db.exec_driver_sql(statement)


# How to get to this version from the one before.
STEPS: dict[int, Callable[[Connection], None]] = {
    2: _calls,
    3: _lanes,
    4: _turns,
    5: _pulls,
    6: _evaluations,
    7: _waits,
    8: _less_to_write,
    9: _proposals,
    10: _found_at_once,
    11: _prunable,
    12: _sessions,
    13: _confirmed_links,
    14: _listings,
    15: _totals,
    16: _streams,
    17: _parts,
    18: _words_and_archive,
}

_ARCHIVED = "EXISTS (SELECT 1 FROM archived WHERE archived.stream = OLD.stream AND versions > OLD.version)"
_LET_FACTS_GO = {
    "sqlite": ("DROP TRIGGER IF EXISTS facts_never_change", "DROP TRIGGER IF EXISTS facts_never_go"),
    "postgresql": ("DROP TRIGGER IF EXISTS facts_never_change ON events", "DROP FUNCTION IF EXISTS keep_facts"),
}
_KEEP_FACTS = {
    "sqlite": (
        "CREATE TRIGGER facts_never_change BEFORE UPDATE ON events "
        "BEGIN SELECT RAISE(ABORT, 'facts are never changed'); END",
        f"CREATE TRIGGER facts_never_go BEFORE DELETE ON events WHEN NOT {_ARCHIVED} "
        "BEGIN SELECT RAISE(ABORT, 'facts are never deleted'); END",
    ),
    "postgresql": (
        "CREATE FUNCTION keep_facts() RETURNS trigger LANGUAGE plpgsql AS "
        f"$$ BEGIN IF TG_OP = 'DELETE' AND {_ARCHIVED} THEN RETURN OLD; END IF; "
        "RAISE EXCEPTION 'facts are never changed or deleted'; END $$",
        "CREATE TRIGGER facts_never_change BEFORE UPDATE OR DELETE ON events "
        "FOR EACH ROW EXECUTE FUNCTION keep_facts()",
    ),
}


class NewerDatabase(OverlordError):
    def __init__(self, version: int) -> None:
        super().__init__(
            f"The database is of version {version}, this Overlord knows {LATEST}",
            next_step="Start the newer Overlord that wrote it, or point OVERLORD_DATABASE_URL to another database.",
        )


class ForeignDatabase(OverlordError):
    def __init__(self) -> None:
        super().__init__(
            "The database belongs to another program",
            next_step="Nothing in it was changed. Point OVERLORD_DATABASE_URL to a file of Overlord's own.",
        )


def migrate(db: Connection) -> int:
    """Apply what is missing and return the version there is now."""
    if not inspect(db).has_table(tables.schema.name):
        if db.dialect.name == "sqlite" and inspect(db).get_table_names():
            raise ForeignDatabase
        tables.metadata.create_all(db)
        for statement in _KEEP_FACTS[db.dialect.name]:
            db.exec_driver_sql(statement)
        db.execute(insert(tables.schema).values(version=LATEST))
        return LATEST
    version = int(db.execute(select(tables.schema.c.version)).scalar_one())
    if version > LATEST:
        raise NewerDatabase(version)
    for number in range(version + 1, LATEST + 1):
        STEPS[number](db)
        db.execute(update(tables.schema).values(version=number))
    return LATEST
