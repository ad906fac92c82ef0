"""What is stored beside the facts equals their replay, after any history (P24)."""

import asyncio
import shutil
import tempfile
from collections.abc import Coroutine
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from agents.domain.decisions.authority import Kind
from agents.domain.decisions.decision import LETTERS, Decision
from agents.domain.ids import Account
from agents.domain.task import fold as domain
from agents.domain.task.task import Task
from store.database import Database
from store.transaction import Transaction
from tests.fakes.postgres import PrivatePostgres
from tests.store.room import ANA, EVE, FULL, LEAD, OPERATOR, OPS, SEC, Room, is_whole, office_of

PEOPLE = (ANA, LEAD, SEC, OPS, EVE, OPERATOR)
KINDS = (Kind.QUESTION, "gate_critical", Kind.PROPOSAL)
SENTENCES = (
    "stop",
    "resume",
    "backburner",
    "cancel because it rains",
    "mute",
    "go on",
    "please hurry",
    "status",
    "yes",
)


@dataclass(frozen=True)
class Step:
    """One thing that happens; the numbers choose who and what among those there are."""

    what: str
    who: Account
    one: int
    other: int


STEPS = st.lists(
    st.builds(
        Step,
        what=st.sampled_from(("open", "ask", "press", "press", "press", "say", "say", "wait")),
        who=st.sampled_from(PEOPLE),
        one=st.integers(0, 30),
        other=st.integers(0, 30),
    ),
    min_size=5,
    max_size=40,
)


async def as_it_is(room: Room, task: Task) -> Task:
    return await room.database.read(lambda tx: tx.log.task(task.id))


async def asked_of(room: Room, task: Task) -> list[Decision]:
    return await room.database.read(lambda tx: tx.ledger.of_task(task.id))


async def play(room: Room, steps: list[Step]) -> None:
    tasks = [await room.task()]
    for step in steps:
        task = tasks[step.one % len(tasks)]
        match step.what:
            case "open" if len(tasks) < 4:
                tasks.append(await room.task(step.who))
            case "ask":
                now = await as_it_is(room, task)
                if not now.has_ended:
                    await room.ask(now, KINDS[step.other % len(KINDS)], default="approve")
            case "press":
                asked = await asked_of(room, task)
                await room.press(step.who, asked[step.other % len(asked)], LETTERS[step.one % 4], words="because")
            case "say":
                await room.say(step.who, SENTENCES[step.other % len(SENTENCES)], task.request.thread)
            case "wait":
                room.clock.pass_(60.0 * step.one * step.other)
                await room.fire()


def replayed(tx: Transaction) -> int:
    for task in tx.log.tasks(ended=True, limit=100):
        facts = [fact.event for fact in tx.log.facts(task.id)]
        assert tx.log.task(task.id) == domain.replay(facts)
    return sum(len(tx.log.facts(task.id)) for task in tx.log.tasks(ended=True, limit=100))


async def history_holds(url: str, steps: list[Step]) -> None:
    database = Database(url)
    try:
        room = Room(office_of(database))
        await play(room, steps)
        assert await database.read(replayed) > 1
        assert await database.read(is_whole)
    finally:
        database.close()


def run(story: Coroutine[Any, Any, None]) -> None:
    asyncio.run(story)


def test_any_history_on_sqlite_equals_its_replay(file_with_tables: Path) -> None:
    @given(steps=STEPS)
    @settings(max_examples=500 if FULL else 60)
    def holds(steps: list[Step]) -> None:
        with tempfile.TemporaryDirectory() as folder:
            run(history_holds(f"sqlite:///{shutil.copy(file_with_tables, folder)}", steps))

    holds()


@pytest.mark.timeout(600)
def test_any_history_on_postgresql_equals_its_replay(postgres: PrivatePostgres, with_tables: str) -> None:
    @given(steps=STEPS)
    @settings(max_examples=100 if FULL else 12)
    def holds(steps: list[Step]) -> None:
        run(history_holds(postgres.fresh(with_tables), steps))

    holds()
