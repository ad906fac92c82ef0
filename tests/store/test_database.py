"""Many transactions share a commit: each gets its own answer, and none is ever half done."""

import asyncio
import logging
import threading
from collections.abc import Callable
from functools import partial

import pytest
from sqlalchemy import text
from sqlalchemy.exc import IntegrityError, OperationalError

from agents.domain.errors import PressRefused
from agents.domain.ids import Account, Thread
from store.database import Database, StoreUnavailable
from store.transaction import Transaction
from tests.store.room import ANA, MORNING, Room, is_whole, open_task

WRITERS = 50


def note(words: str) -> Callable[[Transaction], str]:
    """A small transaction that leaves a trace and answers."""

    def transaction(tx: Transaction) -> str:
        tx.messages.keep(Thread("console:general:1"), words, ANA, words, MORNING)
        return words

    return transaction


async def notes(database: Database) -> list[str]:
    kept, _ = await database.read(lambda tx: tx.messages.in_thread(Thread("console:general:1"), ANA, 10**6))
    return [message.text for message in kept]


class Gate:
    """Holds the writer inside a transaction until the test says so, so that others have to share the next commit."""

    def __init__(self) -> None:
        self.entered, self.opened = threading.Event(), threading.Event()

    def __call__(self, tx: Transaction) -> None:
        self.entered.set()
        assert self.opened.wait(20)

    async def close(self, database: Database) -> "asyncio.Task[None]":
        held = asyncio.create_task(database.write(self))
        await asyncio.to_thread(self.entered.wait)
        return held


def server_gone(tx: Transaction) -> None:
    raise OperationalError("SELECT 1", None, Exception("the server went away"))


async def test_fifty_writers_at_once_each_get_their_own_answer_in_their_order(database: Database) -> None:
    expected = [str(number) for number in range(WRITERS)]
    assert await asyncio.gather(*(database.write(note(words)) for words in expected)) == expected
    assert await notes(database) == expected


async def test_one_that_fails_does_not_harm_those_it_shares_a_commit_with(database: Database) -> None:
    def wrong(words: str, tx: Transaction) -> str:
        note(words)(tx)
        raise PressRefused(words, next_step="none")

    gate = Gate()
    held = await gate.close(database)
    writing = [database.write(partial(wrong, str(n)) if n % 7 == 3 else note(str(n))) for n in range(WRITERS)]
    waiting = asyncio.gather(*writing, return_exceptions=True)
    await asyncio.sleep(0.05)
    gate.opened.set()
    answers = await waiting
    await held
    assert [str(n) if n % 7 != 3 else None for n in range(WRITERS)] == [
        answer if isinstance(answer, str) else None for answer in answers
    ]
    assert all(isinstance(answer, PressRefused) for n, answer in enumerate(answers) if n % 7 == 3)
    assert await notes(database) == [str(n) for n in range(WRITERS) if n % 7 != 3]


async def test_one_that_the_database_refuses_undoes_only_itself(database: Database) -> None:
    def clash(tx: Transaction) -> None:
        note("lost")(tx)
        for _ in range(2):
            tx.db.execute(text("INSERT INTO people (id, name) VALUES ('p', 'Ana')"))

    several = [database.write(one) for one in (note("a"), clash, note("b"))]
    answers = await asyncio.gather(*several, return_exceptions=True)
    assert answers[0] == "a" and answers[2] == "b" and isinstance(answers[1], IntegrityError)
    assert await notes(database) == ["a", "b"]


async def test_a_decision_refers_to_a_delivery_that_was_received(database: Database) -> None:
    made_up = (
        "INSERT INTO decisions (id, task, kind, state, body, opened_at, delivery) VALUES ('d','t','k','s','b',1,'?')"
    )
    with pytest.raises(IntegrityError):
        await database.write(lambda tx: tx.db.exec_driver_sql(made_up))


async def test_a_caller_that_is_cancelled_leaves_all_or_nothing(database: Database) -> None:
    def two_rows(number: int, tx: Transaction) -> None:
        note(f"{number} first")(tx)
        note(f"{number} second")(tx)

    tasks = [asyncio.create_task(database.write(partial(two_rows, number))) for number in range(WRITERS)]
    await asyncio.sleep(0)
    for task in tasks[::2]:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    await database.write(note("the last"))
    found = (await notes(database))[:-1]
    for number in range(WRITERS):
        there = [words for words in found if words.startswith(f"{number} ")]
        assert len(there) in (0, 2)
        assert number % 2 == 0 or there, "who was not cancelled has its rows"


async def test_when_the_commit_fails_all_who_shared_it_are_told_and_nothing_is_there(database: Database) -> None:
    gate = Gate()
    held = await gate.close(database)
    waiting = asyncio.gather(
        *(database.write(note(str(n))) for n in range(10)), database.write(server_gone), return_exceptions=True
    )
    await asyncio.sleep(0.05)
    gate.opened.set()
    answers = await waiting
    await held
    assert [type(answer) for answer in answers] == [StoreUnavailable] * 11
    assert await notes(database) == []
    assert await database.write(note("it goes on by itself")) in await notes(database)


async def test_an_outage_is_told_once_and_its_end_too(database: Database, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, logger="overlord.store")
    for _ in range(5):
        with pytest.raises(StoreUnavailable):
            await database.write(server_gone)
        await database.write(lambda tx: None)  # changes nothing, so it proves nothing
    assert [record.message for record in caplog.records] == ["the store cannot be used"]
    await database.write(note("back"))
    assert [record.message for record in caplog.records][1:] == ["the store can be used again"]
    with pytest.raises(StoreUnavailable):
        await database.write(server_gone)
    errors = [record for record in caplog.records if record.levelno >= logging.ERROR]
    assert len(errors) == 1 and len(caplog.records) == 3, "a flicker a moment later is noted, and alarms nobody"


async def test_what_has_happened_outside_is_written_however_long_the_store_is_away(database: Database) -> None:
    tries = iter([server_gone, server_gone, note("sent")])
    await database.insist(lambda tx: next(tries)(tx))
    assert await notes(database) == ["sent"]


async def test_what_changed_is_told_after_the_commit_and_only_then(url: str) -> None:
    told: list[frozenset[str]] = []
    database = Database(url, told.append)

    def refused(tx: Transaction) -> None:
        open_task("x", ANA, "console:general", MORNING, tx)
        raise PressRefused("no", next_step="none")

    try:
        await database.write(partial(open_task, "k", ANA, "console:general", MORNING))
        with pytest.raises(PressRefused):
            await database.write(refused)
    finally:
        database.close()
    assert set().union(*told) == {"facts", "timers", "T-1", "console:general:T-1"}


async def test_closing_writes_what_waits_and_takes_nothing_more(url: str) -> None:
    database = Database(url)
    gate = Gate()
    held = await gate.close(database)
    waiting = [asyncio.create_task(database.write(note(str(n)))) for n in range(10)]
    await asyncio.sleep(0)
    closing = asyncio.create_task(asyncio.to_thread(database.close))
    gate.opened.set()
    await asyncio.gather(held, closing, *waiting)
    with pytest.raises(StoreUnavailable):
        await database.write(note("too late"))
    again = Database(url)
    assert await notes(again) == [str(n) for n in range(10)]
    again.close()


async def test_a_program_on_another_event_loop_gets_its_answer_there(database: Database) -> None:
    def elsewhere() -> str:
        return asyncio.run(database.write(note("from another loop")))

    here, there = await asyncio.gather(database.write(note("from here")), asyncio.to_thread(elsewhere))
    assert {here, there} == set(await notes(database))


async def test_two_programs_writing_hard_at_once_lose_nothing_and_wait_for_each_other(url: str, room: Room) -> None:
    second = Database(url)
    try:
        await asyncio.gather(
            *(room.database.write(note(f"a{n}")) for n in range(200)),
            *(second.write(note(f"b{n}")) for n in range(200)),
        )
        assert sorted(await notes(second)) == sorted(f"{who}{n}" for who in "ab" for n in range(200))
        assert await second.read(is_whole)
    finally:
        second.close()


def meet(account: Account, tx: Transaction) -> str:
    return tx.people.of(account, "Name").id


async def test_people_are_met_once_however_many_meet_them(url: str, database: Database) -> None:
    second = Database(url)
    try:
        meeting = [
            one.write(partial(meet, Account(f"slack:T1:U{n % 5}"))) for n in range(40) for one in (database, second)
        ]
        assert len(set(await asyncio.gather(*meeting))) == 5
        assert len(await database.read(lambda tx: tx.people.all())) == 5
    finally:
        second.close()
