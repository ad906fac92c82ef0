"""Bring a database to this program's tables. Each step runs once, in order, under the write lock."""

import json
from collections.abc import Callable, Iterator

from sqlalchemy import Connection, Table, delete, insert, inspect, select, update

from agents.domain.errors import OverlordError
from agents.domain.events import Event
from agents.domain.task.fold import replay
from agents.domain.task.task import Task
from store import tables
from store.act_table import acts
from store.chat.digests import digests
from store.chat.people_tables import link_requests, sessions
from store.codec import dump, load_event
from store.failure_table import failures
from store.note_table import notes
from store.skill_tables import skill_uses, skills
from store.streams import notes as note_rows, runs
from store.streams.ledger import put_off
from store.streams.projections import listing_of, replay_evaluations
from store.streams.proposals import name_deciders

FIRST, LATEST = 10, 28  # tables of the first version that was released, and of this one


def _add_listings(db: Connection) -> None:
    """A row for each task, from its facts."""
    tables.listings.create(db)
    for task in _replay_all(db, "task"):
        db.execute(insert(tables.listings).values(**listing_of(task)))
    for column in ("owner", "channel", "put_to"):
        db.exec_driver_sql(f"ALTER TABLE decisions ADD COLUMN {column} VARCHAR NOT NULL DEFAULT ''")
    for column in ("owner", "channel"):
        of_task = f"SELECT {column} FROM listings WHERE listings.task = decisions.task"
        db.exec_driver_sql(f"UPDATE decisions SET {column} = ({of_task})")
    known = tables.decisions
    for id, body in db.exec_driver_sql("SELECT id, body FROM decisions").all():
        db.execute(update(known).where(known.c.id == id).values(put_to=json.loads(body)["put_to"]))


def _rename_streams(db: Connection) -> None:
    """Until now every stream was a task's."""
    for table in ("events", "snapshots", "timers", "jobs"):
        db.exec_driver_sql(f"ALTER TABLE {table} RENAME COLUMN task TO stream")
    db.exec_driver_sql("DROP INDEX tasks_under_way")
    _make_again(db, tables.snapshots)
    for table in ("decisions", "proposals"):
        db.exec_driver_sql(f"ALTER TABLE {table} ADD COLUMN stream VARCHAR NOT NULL DEFAULT ''")
        db.exec_driver_sql(f"UPDATE {table} SET stream = task")


def _guard_proposals(db: Connection) -> None:
    """From here on the database itself refuses one that is approved, and that nobody decided on."""
    name_deciders(db)
    undecided = (tables.proposals.c.status != "pending", tables.proposals.c.decision.is_(None))
    db.execute(delete(tables.proposals).where(*undecided))
    for index in tables.proposals.indexes:
        index.drop(db, checkfirst=True)
    _make_again(db, tables.proposals)


def _make_again(db: Connection, table: Table) -> None:
    """With today's keys and constraints, and all its rows."""
    names = ", ".join(column.name for column in table.columns)
    db.exec_driver_sql(f"CREATE TABLE rows_before AS SELECT {names} FROM {table.name}")
    db.exec_driver_sql(f"DROP TABLE {table.name}")
    table.create(db)
    db.exec_driver_sql(f"INSERT INTO {table.name} ({names}) SELECT {names} FROM rows_before")
    db.exec_driver_sql("DROP TABLE rows_before")


def _save_tasks_again(db: Connection) -> None:
    """A task is made of parts now: what was saved of each is made again from its facts."""
    saved = tables.snapshots
    for task in _replay_all(db, "stream"):
        db.execute(update(saved).where(saved.c.stream == task.id).values(body=dump(task), saved=saved.c.version))


def _replay_all(db: Connection, key: str) -> Iterator[Task]:
    """Every task there is; `key`: how the column that names it is called by then."""
    for id in db.exec_driver_sql(f"SELECT {key} FROM snapshots WHERE {key} LIKE 'T-%%'").scalars().all():
        history = db.exec_driver_sql(f"SELECT kind, body FROM events WHERE {key} = '{id}' ORDER BY version")
        yield replay(load_event(kind, body) for kind, body in history)


def _save_wishes(db: Connection) -> None:
    """A task keeps the wishes of people now: what was saved of each is made again from its facts and their words."""
    saved, events, prose = tables.snapshots, tables.events, tables.words
    wanted = select(events.c.kind, events.c.body, prose.c.text).outerjoin(prose, tables.WORDS_OF_FACT)
    for id in db.execute(select(saved.c.stream).where(saved.c.number.is_not(None))).scalars().all():
        history = db.execute(wanted.where(events.c.stream == id).order_by(events.c.version)).all()
        task = replay(load_event(*row) for row in history)
        db.execute(update(saved).where(saved.c.stream == id).values(body=dump(task), saved=saved.c.version))


def _guard_facts_again(db: Connection) -> None:
    for statement in (*_LET_FACTS_GO[db.dialect.name], *_KEEP_FACTS[db.dialect.name]):
        db.exec_driver_sql(statement)


def _add_runs(db: Connection) -> None:
    """A row for each run, as far as the facts of earlier versions tell."""
    for history in _histories(db):
        if found := runs.replay(history):
            db.execute(insert(tables.runs), found)


def _judge_again(db: Connection) -> None:
    """Until now a second judgement of the same attempt had no row; the facts tell it."""
    db.exec_driver_sql("DROP TABLE evaluations")
    tables.evaluations.create(db)
    for history in _histories(db):
        if found := replay_evaluations(history):
            db.execute(insert(tables.evaluations), found)


def _histories(db: Connection) -> Iterator[list[Event]]:
    """The facts of each task."""
    events, prose = tables.events, tables.words
    wanted = select(events.c.kind, events.c.body, prose.c.text).outerjoin(prose, tables.WORDS_OF_FACT)
    for task in db.execute(select(tables.listings.c.task)).scalars().all():
        history = db.execute(wanted.where(events.c.stream == task).order_by(events.c.version))
        yield [load_event(*row) for row in history]


_SUM = "INSERT INTO totals (name, value) SELECT '{}', COALESCE(SUM({}), 0) FROM {}"
# How to get to this version from the one before: tables to make, statements and functions to run.
STEPS: dict[int, tuple[Table | str | Callable[[Connection], None], ...]] = {
    11: ("CREATE INDEX decisions_by_delivery ON decisions (delivery)",),
    # until now a session was its cookie; those are not known any more, and their people sign in again
    12: (sessions,),
    # codes that were made before live for minutes, and say nothing of where they were asked for
    13: ("ALTER TABLE links ADD COLUMN thread VARCHAR NOT NULL DEFAULT ''", "DELETE FROM links", link_requests),
    14: (
        _add_listings,
        "DROP INDEX ix_snapshots_ended",
        "CREATE INDEX tasks_under_way ON snapshots (ended, number)",
        "DROP INDEX open_decisions",
        tables.QUESTIONS,
    ),
    15: (
        tables.totals,
        _SUM.format(tables.MODEL_DOLLARS, "cost", "calls"),
        _SUM.format(tables.MODEL_CALLS, "attempts", "calls"),
        _SUM.format(tables.LEASE_TAKEOVERS, "attempts", "jobs"),
    ),
    16: (_rename_streams,),
    17: (_save_tasks_again,),
    18: (tables.words, tables.archived, _guard_facts_again),  # facts keep their prose: their hash is over it
    19: (
        *(f"ALTER TABLE calls ADD COLUMN {name} VARCHAR NOT NULL DEFAULT ''" for name in ("job", "step", "error")),
        "ALTER TABLE calls ADD COLUMN told TEXT NOT NULL DEFAULT ''",
        tables.runs,
        _add_runs,
    ),
    20: (tables.pauses,),
    21: (_save_wishes, put_off),
    22: (acts,),
    23: (_judge_again,),
    24: ("DELETE FROM runs", _add_runs),  # until now every worker's run was called after the first
    25: (failures,),
    26: (
        skills,
        skill_uses,
        "ALTER TABLE proposals ADD COLUMN revises TEXT NOT NULL DEFAULT ''",
        "ALTER TABLE proposals ADD COLUMN decision VARCHAR REFERENCES decisions (id)",
        name_deciders,
    ),
    27: (digests,),
    28: (notes, note_rows.fill, _guard_proposals),
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


class OldDatabase(OverlordError):
    def __init__(self, version: int) -> None:
        super().__init__(
            f"The database is of version {version}, from before the first release of Overlord",
            next_step="Nothing in it was changed. Open it once with Overlord 0.1, or begin with a new database.",
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
    if version < FIRST:
        raise OldDatabase(version)
    for number in range(version + 1, LATEST + 1):
        for part in STEPS[number]:
            _apply(db, part)
        db.execute(update(tables.schema).values(version=number))
    return LATEST


def _apply(db: Connection, part: Table | str | Callable[[Connection], None]) -> None:
    match part:
        case Table():
            part.create(db)
        case str():
            db.exec_driver_sql(part)
        case _:
            part(db)
