"""The rows of decisions and their clocks: made with the fact, changed by compare and set, never after they closed."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest
from sqlalchemy import Connection, text
from sqlalchemy.exc import IntegrityError

from agents.domain import events as e
from agents.domain.decisions.authority import Kind
from agents.domain.decisions.decision import HOLD, Decision, DecisionState, Option, with_letters
from agents.domain.errors import IllegalMove
from agents.domain.events import Event
from agents.domain.ids import DecisionId
from agents.domain.task.task import Task
from store.codec import Cause
from store.database import Database
from store.streams.ledger import Ledger
from store.streams.log import MovedMeanwhile
from store.transaction import Transaction
from tests.store.room import ANA, LEAD, MORNING, UNLIMITED, YES, Room, is_whole

TWO = with_letters(Option(value="go"), Option(value="wait"))
BY_RULE = Cause(actor="overlord", delivery="timer:1")


def closing(decision: Decision) -> list[Event]:
    task, at, id = decision.task, MORNING, decision.id
    return [
        e.DecisionMade(task=task, at=at, decision=id, option=YES, by=()),
        e.DecisionExpired(task=task, at=at, decision=id),
        e.DecisionSuperseded(task=task, at=at, decision=id, by=DecisionId("x" * 22)),
        e.DecisionWithdrawn(task=task, at=at, decision=id, why="no longer needed"),
    ]


def record(fact: Event) -> Callable[[Transaction], Task]:
    return lambda tx: tx.log.append(fact.task, [fact], BY_RULE)


async def timers(room: Room) -> list[tuple[str, str, float]]:
    question = text("SELECT id, stream, due FROM timers ORDER BY due, id")
    rows = await room.database.read(lambda tx: tx.db.execute(question).all())
    return [tuple(row) for row in rows]


async def test_a_decision_is_there_with_its_clock_as_soon_as_the_fact_is(room: Room) -> None:
    task = await room.task()
    decision = await room.ask(task, "gate_medium", default="approve")
    assert await room.decision(decision.id) == decision
    due = MORNING + timedelta(seconds=UNLIMITED.medium_gate)
    assert await timers(room) == [(decision.id, task.id, due.timestamp())]
    assert await room.database.read(_open_ids) == [decision.id]
    assert {d.kind for d in await room.database.read(lambda tx: tx.ledger.of_task(task.id))} == {
        Kind.CONTROLS, Kind.GATE,
    }  # fmt: skip


@pytest.mark.parametrize("how", range(4))
async def test_a_decision_closes_once_and_its_clock_stops(room: Room, how: int) -> None:
    task = await room.task()
    decision = await room.ask(task, Kind.QUESTION, TWO, default="go")
    await room.database.write(record(closing(decision)[how]))
    assert await timers(room) == []
    for fact in closing(decision):
        with pytest.raises(IllegalMove):
            await room.database.write(record(fact))
    after = await room.decision(decision.id)
    assert after.state is [DecisionState.DECIDED, *list(DecisionState)[2:]][how]
    assert await room.whole()


class LateReader(Ledger):
    """Looked at a decision a moment ago, when it was still open."""

    def __init__(self, db: Connection, seen: Decision) -> None:
        super().__init__(db, set())
        self._seen = seen

    def find(self, id: DecisionId) -> Decision | None:
        return self._seen


async def test_compare_and_set_stops_whoever_believes_that_a_closed_decision_is_open(room: Room) -> None:
    decision = await room.ask(await room.task(), Kind.PROPOSAL)
    made, expired, *_ = closing(decision)
    await room.database.write(record(made))

    def too_late(tx: Transaction) -> None:
        assert isinstance(expired, e.AboutDecision)
        LateReader(tx.db, decision).change(expired, BY_RULE)

    with pytest.raises(IllegalMove, match="no longer open"):
        await room.database.write(too_late)
    assert (await room.decision(decision.id)).state is DecisionState.DECIDED
    assert await room.whole()


async def test_whoever_read_a_task_before_it_moved_cannot_write_on(room: Room) -> None:
    task = await room.task()

    def late(tx: Transaction) -> None:
        tx.log.task(task.id)
        remark = e.RemarkMade(task=task.id, at=MORNING, by=task.request.by, text="first")
        Transaction(tx.db).log.append(task.id, [remark], BY_RULE)
        tx.log.append(task.id, [remark], BY_RULE)

    with pytest.raises((IntegrityError, MovedMeanwhile)):
        await room.database.write(late)
    assert await room.whole()


async def test_two_programs_deciding_at_once_have_one_winner(url: str, room: Room) -> None:
    second = Database(url)
    task = await room.task()
    try:
        for _ in range(20):
            decision = await room.ask(task, Kind.PROPOSAL)
            facts = closing(decision)
            races = [
                database.write(record(fact)) for database, fact in zip((room.database, second) * 2, facts, strict=True)
            ]
            results = await asyncio.gather(*races, return_exceptions=True)
            assert [type(result) for result in results].count(Task) == 1
            assert sum(isinstance(result, IllegalMove) for result in results) == 3
        assert await second.read(is_whole)
    finally:
        second.close()


async def test_a_person_who_decides_is_tied_to_the_delivery_they_did_it_by(room: Room) -> None:
    decision = await room.ask(await room.task(), Kind.PROPOSAL)
    press = room.pressed(LEAD, decision, YES)
    await room.hear(press)
    row = await room.database.read(
        lambda b: b.db.execute(text("SELECT delivery FROM decisions WHERE kind = 'proposal'")).scalar()
    )
    assert row == press.key


async def test_a_held_clock_stands_still_and_the_decision_stays_open(room: Room) -> None:
    decision = await room.ask(await room.task(), Kind.QUESTION, TWO, default="go")
    await room.press(ANA, decision, HOLD)
    assert await timers(room) == []
    room.clock.pass_(86_400)
    assert await room.fire() == 0
    assert (await room.decision(decision.id)).state is DecisionState.OPEN


async def test_due_timers_come_in_their_order_and_only_when_due(room: Room) -> None:
    task = await room.task()
    asked = []
    for _ in range(3):
        asked.append(await room.ask(task, Kind.QUESTION, TWO, default="go"))
        room.clock.pass_(60)
    due = MORNING + timedelta(seconds=UNLIMITED.question_default)

    async def at(seconds: float, limit: int = 100) -> list[DecisionId]:
        when = due + timedelta(seconds=seconds)
        return [id for id, _ in await room.database.read(lambda tx: tx.ledger.due(when, limit))]

    assert await at(-1) == []
    assert await at(0) == [asked[0].id]
    assert await at(120) == [decision.id for decision in asked]
    assert await at(120, limit=2) == [decision.id for decision in asked[:2]]
    assert await room.database.read(lambda tx: tx.ledger.next_due()) == due


async def test_a_timer_fires_once_whoever_looks(url: str, room: Room) -> None:
    second = Database(url)
    other = Room(replace(room.office, database=second))
    task = await room.task()
    try:
        for _ in range(10):
            await room.ask(task, Kind.QUESTION, TWO, default="go")
        room.clock.pass_(UNLIMITED.question_default)
        assert sum(await asyncio.gather(*(one.fire() for one in (room, other) * 2))) == 10
        assert await room.fire() == 0
        decided = await room.database.read(lambda tx: tx.ledger.of_task(task.id))
        assert [d.state for d in decided].count(DecisionState.DECIDED) == 10
        assert await room.whole()
    finally:
        second.close()


async def test_reminders_come_one_at_a_time_even_after_a_long_sleep(room: Room) -> None:
    decision = await room.ask(await room.task(), Kind.ESCALATION, TWO)
    room.clock.pass_(10 * UNLIMITED.reminder)
    assert await room.fire() == 1
    assert await room.fire() == 0, "the next one is as far from this one as from any"
    room.clock.pass_(UNLIMITED.reminder)
    assert [await room.fire(), await room.fire()] == [1, 0]
    assert (await room.decision(decision.id)).reminders == 2


async def test_a_timer_that_cannot_fire_holds_up_no_other(room: Room) -> None:
    task = await room.task()
    stuck = "INSERT INTO timers (id, stream, due) VALUES ('gone', 'T-99', 1)"
    await room.database.write(lambda tx: tx.db.exec_driver_sql(stuck) and None)
    decision = await room.ask(task, Kind.QUESTION, TWO, default="go")
    room.clock.pass_(UNLIMITED.question_default)
    with pytest.raises(Exception, match="T-99"):
        await room.fire()
    assert (await room.decision(decision.id)).state is DecisionState.DECIDED


async def test_the_oldest_questions_come_first_and_controls_are_none(room: Room) -> None:
    tasks = [await room.task() for _ in range(3)]
    asked = []
    for task in tasks:
        asked.append((await room.ask(task, Kind.PROPOSAL)).id)
        room.clock.pass_(1)
    assert await room.database.read(_open_ids) == asked


def _open_ids(tx: Transaction) -> list[DecisionId]:
    return [waiting.id for waiting in tx.ledger.waiting()]
