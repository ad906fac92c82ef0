"""What pumps ask again and again is answered by an index: it costs the same after ten tasks as after ten thousand."""

import re
from collections.abc import Callable
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from agents.domain.ids import PersonId, TaskId
from bot.running.jobs import launch
from store.chat.deliveries import DeliveryState
from store.codec import Recorded
from store.database import Database
from store.running.leases import Lease
from store.streams.audit import measure
from store.streams.log import Which
from store.transaction import Transaction
from tests.store.room import ANA, MORNING, UNLIMITED, Room, office_of

LEASE = Lease(owner="one", at=MORNING, until=MORNING + timedelta(seconds=60))
GROWING = "events|deliveries|jobs|posts|snapshots|decisions|messages|threads|people|accounts|listings|calls|turns"
FEW = "deliveries_to_settle|deliveries_parked|posts_to_send|decisions_to_make"  # what is unfinished alone
THROUGH_ALL = re.compile(rf"SCAN ({GROWING})\b(?! USING (COVERING )?INDEX ({FEW}))")
Question = Callable[[Transaction], object]


def _first(tx: Transaction) -> Recorded:
    return tx.log.facts(TaskId("T-1"))[0]


def _end_jobs(tx: Transaction) -> None:
    for job in tx.jobs.claim(LEASE, UNLIMITED, 16):
        tx.jobs.finish(job.id, job.fence)


LOOKS: dict[str, Question] = {
    "settle": lambda tx: tx.deliveries.to_settle(),
    "settle one": lambda tx: tx.deliveries.settle("said", DeliveryState.HANDLED, "", MORNING),
    "launch": launch,
    "ask for a job": lambda tx: tx.jobs.ask((_first(tx), "intake", "")),
    "claim jobs": lambda tx: tx.jobs.claim(LEASE, UNLIMITED, 16),
    "end a job": _end_jobs,
    "when next a job": lambda tx: tx.jobs.next_try(MORNING),
    "a fresh start": lambda tx: tx.jobs.again("some job"),
    "unread": lambda tx: tx.log.unread("announcer"),
    "claim posts": lambda tx: tx.posts.claim(LEASE, UNLIMITED, 16),
    "when next a post": lambda tx: tx.posts.next_due(MORNING),
    "timers": lambda tx: tx.ledger.due(MORNING),
    "who it is": lambda tx: tx.people.of(ANA),
    "a thread": lambda tx: tx.threads.latest("console:general", 20),
    "open tasks": lambda tx: tx.log.tasks(ended=False, limit=50),
    "older tasks": lambda tx: tx.log.tasks(ended=True, limit=50, which=Which(before=9)),
    "somebody's tasks": lambda tx: tx.log.tasks(ended=False, limit=6, which=Which(owners=frozenset({PersonId("x")}))),
    "a task": lambda tx: tx.log.facts(TaskId("T-1")),
    "older facts": lambda tx: tx.log.facts(TaskId("T-1"), last=200, before=9),
    "what waits": lambda tx: tx.ledger.waiting(),
    "how much waits": lambda tx: tx.ledger.count_waiting(),
    "what waits in a task": lambda tx: tx.ledger.questions_of(TaskId("T-1")),
    "older threads": lambda tx: tx.threads.latest("console:general", 20, 20),
    "metrics": lambda tx: measure(tx.db, MORNING),
}


def _plans(question: Question, tx: Transaction) -> list[str]:
    """How SQLite goes about each statement of a question; what the question did is undone."""
    driver: Any = tx.db.connection.dbapi_connection
    asked: list[str] = []
    driver.execute("SAVEPOINT looks")
    driver.set_trace_callback(asked.append)
    try:
        question(tx)
    finally:
        driver.set_trace_callback(None)
        driver.execute("ROLLBACK TO SAVEPOINT looks")
        tx.log.forget()
    wanted = [one for one in asked if one.startswith(("SELECT", "UPDATE", "DELETE", "INSERT"))]
    assert wanted, "nothing was asked"
    return [f"{row[-1]}: {one}" for one in wanted for row in driver.execute(f"EXPLAIN QUERY PLAN {one}")]


@pytest.mark.parametrize("look", LOOKS)
async def test_a_look_for_something_to_do_goes_through_no_table(tmp_path: Path, look: str) -> None:
    with closing(Database(f"sqlite:///{tmp_path / 'overlord.db'}")) as database:
        room = Room(office_of(database))
        task = await room.task()
        await room.announce()
        await room.say(ANA, "please hurry", task.request.thread)
        await database.write(lambda tx: tx.jobs.ask((_first(tx), "plan", "")))
        plans = await database.write(lambda tx: _plans(LOOKS[look], tx))
        assert not [plan for plan in plans if THROUGH_ALL.match(plan)]
