"""What metrics are counted from: rows of a while, and how their tasks went, read from the tables."""

from datetime import UTC, datetime, timedelta

from sqlalchemy import create_engine, insert

from agents.domain.ids import TaskId
from agents.domain.metrics.figures import TaskEnd
from agents.domain.metrics.retry_rate import Retried
from store import tables
from store.codec import seconds
from store.streams.metrics import retried_often, runs_between, task_ends
from tests.store.test_role_record import ROW

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
FACTS = [
    ("T-1", "TaskRequested", 0.0),
    ("T-1", "Merged", 6.0),
    ("T-2", "TaskRequested", 0.0),
    ("T-2", "SubtaskTaken", 1.0),
    ("T-2", "Merged", 2.0),
    ("T-3", "TaskRequested", 0.0),
    ("T-4", "TaskRequested", 0.0),
]


def fact(version: int, stream: str, kind: str, hours: float) -> dict[str, object]:
    at = seconds(NOON + timedelta(hours=hours))
    return {
        **dict.fromkeys(("body", "actor", "delivery", "prev_hash", "hash"), ""),
        **{"stream": stream, "version": version, "kind": kind, "at": at},
    }


def test_runs_of_a_while_and_how_their_tasks_ended() -> None:
    engine = create_engine("sqlite://")
    tables.metadata.create_all(engine)
    days = {1: 0, 2: 3, 3: 40}
    rows = [
        {**ROW, "task": f"T-{task}", "subtask": 1, "attempt": 1, "role": "x", "success": True,
         "at": seconds(NOON - timedelta(days=ago))}
        for task, ago in days.items()
    ]  # fmt: skip
    ended = {"stream": "T-4", "number": 4, "version": 1, "hash": "", "body": "", "ended": True, "saved": 1}
    with engine.begin() as db:
        db.execute(insert(tables.runs), rows)
        db.execute(insert(tables.events), [fact(at, *each) for at, each in enumerate(FACTS)])
        db.execute(insert(tables.snapshots), [ended])
        found = runs_between(db, NOON - timedelta(days=30), NOON)
        ends = task_ends(db, {TaskId(f"T-{number}") for number in range(1, 6)})
    assert [run.task for run in found] == ["T-2", "T-1"] and found[1].timestamp == NOON
    assert ends == [
        TaskEnd(task=TaskId("T-1"), merged=True, ended=True, hours=6.0),
        TaskEnd(task=TaskId("T-2"), merged=True, ended=True, by_hand=True, hours=2.0),
        TaskEnd(task=TaskId("T-3")),
        TaskEnd(task=TaskId("T-4"), ended=True),
    ]


def test_a_role_that_retries_too_often_is_named_to_those_whose_runs_it_did() -> None:
    engine = create_engine("sqlite://")
    tables.metadata.create_all(engine)

    def rows(role: str, tasks: int, again: int, **other: object) -> list[dict[str, object]]:
        about = {**ROW, "role": role, "subtask": 1, "success": True, "at": seconds(NOON - timedelta(days=1)), **other}
        return [
            {**about, "task": f"T-{task}", "attempt": attempt + 1, "retries": attempt}
            for task in range(1, tasks + 1)
            for attempt in range(again + 1)
        ]

    made = [
        *rows("poor", 3, 3),
        *rows("fair", 5, 2),  # exactly two a task
        *rows("fresh", 2, 3),  # too few runs to tell
        *rows("played", 3, 3, model="rehearsal/sample"),
        *rows("old", 3, 3, at=seconds(NOON - timedelta(days=31))),
    ]
    with engine.begin() as db:
        db.execute(insert(tables.runs), made)
        words = dict.fromkeys(("owner", "channel", "words"), "")
        numbers = [{"number": n, "task": f"T-{n}", "direct": False, **words} for n in range(1, 6)]
        db.execute(insert(tables.listings), numbers)
        found, elsewhere = retried_often(db, TaskId("T-1"), NOON), retried_often(db, TaskId("T-9"), NOON)
    assert found == {"poor": Retried(tasks=3, judged=12, retries=9)} and found["poor"].rate == 3.0
    assert elsewhere == {}
