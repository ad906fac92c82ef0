"""A task that an earlier version left at any step of its path goes on to its merge, also if every job dies once."""

import sqlite3
import tempfile
import time
from contextlib import closing
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from pathlib import Path

import pytest
from sqlalchemy import update

from agents.domain import events as e
from agents.domain.events import Event
from agents.domain.ids import TaskId
from agents.domain.limits import Limits
from agents.domain.task.task import Task
from bot.permissions import Permissions
from bot.running.jobs import launch
from bot.services import Services
from store import tables
from store.codec import Cause, load_event
from store.database import Database
from store.running.jobs import JobState
from store.transaction import Transaction
from tests.fakes.clock import ScaledClock
from tests.fakes.llm import ScriptedLlm
from tests.flows.test_kill_each_step import walk_to_merge
from tests.flows.work import APPROVED, Work, note_delivery
from tests.scenarios.plans import GO, OK
from tests.scenarios.working import ONE
from tests.store.history import VERSIONS, restore

# The fact that was last recorded when the old version was stopped; what followed with it in one transaction is there.
STEPS = (
    *("ProjectChosen", "DecompositionDrafted", "DecisionOpened", "PlanAccepted", "WorkBegun", "MinionStarted"),
    *("MinionProgressed", "MinionAsked", "MinionAnswered", "WorkHandedIn", "WorkEvaluated", "SubtaskDone"),
    *("PullOpened", "MergeApproved"),
)
NOTED = (e.MinionStarted, e.MinionProgressed)  # while their job went on


@dataclass(frozen=True, slots=True, kw_only=True)
class Old:
    """A fact of the task that an earlier version merged, and what led to it."""

    seq: int
    event: Event
    job: tuple[int, str] | None  # by its fact and its flow, where a job recorded it
    at: float


@cache
def transactions(version: str) -> list[list[Old]]:
    """What it recorded together."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "old.db")
        restore(version, f"sqlite:///{file}")
        with closing(sqlite3.connect(file)) as old:
            jobs = {f"job:{id}": (seq, flow) for id, seq, flow in old.execute("SELECT id, seq, flow FROM jobs")}
            wanted = "SELECT seq, kind, body, delivery, at FROM events WHERE task = 'T-1' ORDER BY version"
            rows = old.execute(wanted).fetchall()
    facts = [
        Old(seq=seq, event=load_event(kind, body), job=jobs.get(delivery), at=at)
        for seq, kind, body, delivery, at in rows
    ]
    return [list(some) for _, some in groupby(facts, key=lambda fact: (fact.job, fact.at))]


def names(facts: list[Old]) -> set[str]:
    return {type(fact.event).__name__ for fact in facts}


def cuts(version: str) -> list[int]:
    """After how many transactions it was stopped: once after each kind of fact, and always with work left to do."""
    seen, found = set[str](), list[int]()
    for at, facts in enumerate(transactions(version), 1):
        if not names(facts) & {"Merged", "TaskRequested"} and not names(facts) <= seen:
            seen |= names(facts)
            found.append(at)
    return found


def write(tx: Transaction, facts: list[Old], office: Services) -> None:
    """As the old version left it: jobs that had recorded their end are done."""
    key = note_delivery(tx, "before the upgrade", office)
    tx.log.open([fact.event for fact in facts], Cause(actor="console:ana", delivery=key))
    launch(tx)
    now = {fact.seq: number for number, fact in enumerate(facts, 1)}
    ended = {fact.job for fact in facts if fact.job and not isinstance(fact.event, NOTED)}
    for seq, flow in ended:
        mine = (tables.jobs.c.seq == now[seq], tables.jobs.c.flow == flow)
        tx.db.execute(update(tables.jobs).where(*mine).values(state=JobState.DONE))


def branches(task: Task, facts: list[Old]) -> dict[str, str]:
    """Git keeps what was committed, whoever is stopped."""
    mine = {work.branch: work.commit for work in task.work.subtasks if work.branch}
    joined = [fact.event.commit for fact in facts if isinstance(fact.event, e.SubtaskDone)]
    return {**mine, **({task.work.branch: joined[-1]} if joined else {})}


def test_the_cuts_are_at_every_step_of_the_old_path() -> None:
    for version in VERSIONS:
        ends = set[str]().union(*(names(transactions(version)[at - 1]) for at in cuts(version)))
        assert set(STEPS) <= ends, set(STEPS) - ends


@pytest.mark.parametrize(
    ("version", "cut"),
    [(VERSIONS[-1], cut) for cut in cuts(VERSIONS[-1])] + [(VERSIONS[0], cut) for cut in cuts(VERSIONS[0])[::4]],
)
async def test_it_goes_on_to_its_merge(version: str, cut: int, tmp_path: Path) -> None:
    facts = [fact for some in transactions(version)[:cut] for fact in some]
    database, clock = Database(f"sqlite:///{tmp_path / 'overlord.db'}"), ScaledClock(100, since=time.time())
    limits = Limits(job_lease=6_000)
    office = Services(database=database, permissions=Permissions({}, frozenset()), clock=clock, limits=limits)
    llm = ScriptedLlm(always={"decompose": ONE, "critic": GO, "custodiet": OK, "code_review": APPROVED})
    try:
        await database.write(lambda tx: write(tx, facts, office))
        work = Work(office, lambda job: llm, TaskId("T-1"))
        work.workshop.checkouts.branches = branches(await work.now(), facts)
        told = await walk_to_merge(work, "before it records")
    finally:
        database.close()
    assert told["Merged"] == 1 and sum(count for name, count in told.items() if name.startswith("SubtaskDone")) == 2
