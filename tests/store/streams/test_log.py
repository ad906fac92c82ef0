"""The log of facts on both databases: append, order, chains, triggers, cursors."""

import asyncio
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from agents.domain import events as e
from agents.domain.errors import IllegalMove, NoSuchTask
from agents.domain.ids import PersonId, TaskId
from agents.domain.task.task import Task
from store.codec import BEGINNING, Cause, Recorded, fact_hash
from store.database import Database, StoreUnavailable
from store.streams import audit
from store.streams.log import SAVE_EVERY
from store.transaction import Transaction
from tests.store.remarks import remark, tampered
from tests.store.room import ANA, CHANNEL, MORNING, Room, is_whole, office_of, open_task

BY_ANA = Cause(actor=ANA, delivery="d:1")


def saying(task: Task, *words: str) -> Callable[[Transaction], Task]:
    return lambda tx: tx.log.append(task.id, [remark(task, one) for one in words], BY_ANA)


@pytest.fixture
async def task(room: Room) -> Task:
    return await room.task()


async def facts_of(database: Database, task: TaskId) -> list[Recorded]:
    return await database.read(lambda tx: tx.log.facts(task))


async def test_facts_are_versioned_chained_and_attributed(room: Room, task: Task) -> None:
    await room.database.write(saying(task, "one", "two"))
    facts = await facts_of(room.database, task.id)
    assert [fact.version for fact in facts] == [0, 1, 2, 3]
    assert [type(fact.event).__name__ for fact in facts[2:]] == ["RemarkMade", "RemarkMade"]
    assert facts[-1].cause == BY_ANA
    rows = await room.database.read(
        lambda b: b.db.execute(text("SELECT prev_hash, hash FROM events ORDER BY version")).all()
    )
    assert [row.prev_hash for row in rows] == [BEGINNING, *(row.hash for row in rows[:-1])]
    assert len({row.hash for row in rows}) == 4
    assert await room.whole()


async def test_tasks_are_numbered_in_the_order_they_are_opened(room: Room) -> None:
    opened = await asyncio.gather(*(room.task() for _ in range(20)))
    assert sorted(task.id for task in opened) == sorted(f"T-{n}" for n in range(1, 21))
    newest = await room.database.read(lambda tx: tx.log.tasks(ended=False, limit=3))
    assert [task.id for task in newest] == ["T-20", "T-19", "T-18"]


async def test_only_the_newest_facts_are_read_where_that_is_asked(room: Room, task: Task) -> None:
    await room.database.write(saying(task, "one", "two", "three"))
    last = await room.database.read(lambda tx: tx.log.facts(task.id, last=2))
    assert [fact.event.text for fact in last if isinstance(fact.event, e.RemarkMade)] == ["two", "three"]


async def test_appending_nothing_changes_nothing(room: Room, task: Task) -> None:
    assert await room.database.write(lambda tx: tx.log.append(task.id, [], BY_ANA)) == task
    assert len(await facts_of(room.database, task.id)) == 2


async def test_a_task_that_does_not_exist_is_said_to_be_missing(room: Room) -> None:
    with pytest.raises(NoSuchTask):
        await room.database.write(lambda tx: tx.log.append(TaskId("T-99"), [], BY_ANA))
    with pytest.raises(NoSuchTask):
        await room.database.read(lambda tx: tx.log.task(TaskId("T-99")))


async def test_an_illegal_move_undoes_only_its_own_part_of_a_shared_commit(room: Room, task: Task) -> None:
    def half_wrong(tx: Transaction) -> None:
        resumed = e.TaskResumed(task=task.id, at=MORNING, by=PersonId("x"))
        tx.log.append(task.id, [remark(task, "lost"), resumed], BY_ANA)

    several = [saying(task, "before"), half_wrong, saying(task, "after")]
    results = await asyncio.gather(*(room.database.write(one) for one in several), return_exceptions=True)
    assert [type(result) for result in results] == [Task, IllegalMove, Task]
    remarks = [f.event.text for f in await facts_of(room.database, task.id) if isinstance(f.event, e.RemarkMade)]
    assert remarks == ["before", "after"]
    assert await room.whole()


async def test_what_is_undone_inside_a_transaction_is_not_remembered_by_it(room: Room, task: Task) -> None:
    def transaction(tx: Transaction) -> int:
        with pytest.raises(IllegalMove), tx.undone_on_error():
            saying(task, "lost")(tx)
            raise IllegalMove("no", next_step="none")
        return saying(task, "kept")(tx).remarks

    assert await room.database.write(transaction) == 1
    assert await room.whole()


@pytest.mark.parametrize("change", ["UPDATE events SET body = '{}'", "DELETE FROM events"])
async def test_facts_can_be_neither_changed_nor_deleted(room: Room, task: Task, change: str) -> None:
    with pytest.raises(DBAPIError, match="facts are never"):
        await room.database.write(lambda tx: tx.db.execute(text(change)))
    assert len(await facts_of(room.database, task.id)) == 2
    assert await room.whole(), "and the store goes on"


TAMPERINGS = {
    "a changed body": 'UPDATE events SET body = replace(body, \'"by":"\', \'"by":"x\') WHERE version = 3',
    "changed words": "UPDATE words SET text = replace(text, 'two', 'too') WHERE version = 3",
    "lost words": "DELETE FROM words WHERE version = 3",
    "a changed time": "UPDATE events SET at = at + 1 WHERE version = 3",
    "another actor": "UPDATE events SET actor = 'slack:T1:UEVE' WHERE version = 3",
    "another delivery": "UPDATE events SET delivery = 'd:2' WHERE version = 3",
    "a deleted fact": "DELETE FROM events WHERE version = 3",
    "facts that changed places": "UPDATE events SET version = 99 WHERE version = 4;"
    "UPDATE events SET version = 4 WHERE version = 5; UPDATE events SET version = 5 WHERE version = 99",
    "a fact of another task": "UPDATE events SET stream = 'T-2' WHERE version = 3",
}


@pytest.mark.parametrize("how", TAMPERINGS)
async def test_tampering_breaks_the_chain_where_it_was_done(room: Room, task: Task, how: str) -> None:
    await room.database.write(saying(task, "one", "two", "three", "four"))
    tampered(room.database, TAMPERINGS[how])
    broken = dict((await room.database.read(lambda tx: audit.examine(tx.db))).broken)
    assert broken[task.id] == (4 if "places" in how else 3)


async def test_a_rewritten_fact_shows_in_the_next_one_even_if_its_own_hash_is_put_right(room: Room, task: Task) -> None:
    await room.database.write(saying(task, "one", "two", "three"))
    facts = await facts_of(room.database, task.id)
    row = await room.database.read(lambda b: b.db.execute(text("SELECT * FROM events WHERE version = 3")).one())
    changed = {
        "stream": row.stream,
        "version": 3,
        "kind": row.kind,
        "body": row.body.replace('"by":"', '"by":"x'),
        "at": row.at,
    }
    hash = fact_hash(row.prev_hash, changed, facts[3].cause)
    rewritten = f"UPDATE events SET body = '{changed['body']}', hash = '{hash}' WHERE version = 3"
    tampered(room.database, rewritten, f"UPDATE events SET prev_hash = '{hash}' WHERE version = 4")
    assert (await room.database.read(lambda tx: audit.examine(tx.db))).broken == ((task.id, 4),)


BESIDE = {
    "the last fact cut off": "DELETE FROM events WHERE version = 3",
    "a task moved without a fact": """UPDATE snapshots SET body = replace(body, 'add login', 'add logging')""",
    "a task said to be of another fact": "UPDATE snapshots SET saved = 99",
    "a task's state made nonsense": "UPDATE snapshots SET body = '{'",
    "no snapshot": "DELETE FROM snapshots",
    "a decision changed without a fact": "UPDATE decisions SET state = 'decided'",
    "a decision's text changed": "UPDATE decisions SET body = replace(body, 'stop', 'stopp')",
    "a decision deleted": "DELETE FROM decisions",
    "a fact nobody knows": "UPDATE events SET kind = 'MoneySent' WHERE version = 3",
    "a fact that cannot follow": "UPDATE events SET kind = 'TaskResumed' WHERE version = 3",
    "another place in the lists": "UPDATE listings SET words = 'nothing'",
    "no place in the lists": "DELETE FROM listings",
    "a decision of another's task": "UPDATE decisions SET owner = 'eve'",
    "a timer that nothing set": "INSERT INTO timers (id, stream, due) VALUES ('x', 'T-1', 1)",
}


@pytest.mark.parametrize("how", BESIDE)
async def test_what_does_not_follow_from_the_facts_is_found(room: Room, task: Task, how: str) -> None:
    await room.database.write(saying(task, "one", "two"))
    tampered(room.database, BESIDE[how])
    found = await room.database.read(lambda tx: audit.examine(tx.db).apart)
    assert found and all(problem.startswith("T-1: ") for problem in found)


async def test_all_facts_are_read_once_to_check_them_and_it_is_said_how_far_it_is(tmp_path: Path) -> None:
    with closing(Database(f"sqlite:///{tmp_path / 'overlord.db'}")) as database:
        room = Room(office_of(database))
        for _ in range(3):
            await room.database.write(saying(await room.task(), "one", "two"))
        asked, told = list[str](), list[tuple[int, int]]()

        def question(tx: Transaction) -> None:
            driver: Any = tx.db.connection.dbapi_connection
            driver.set_trace_callback(asked.append)
            audit.examine(tx.db, lambda done, all: told.append((done, all)))
            driver.set_trace_callback(None)

        await database.read(question)
        assert sum("events.body" in one for one in asked) == 3 and told == [(1, 3), (2, 3), (3, 3)]


async def test_a_reader_sees_each_fact_once_and_in_order(room: Room, task: Task) -> None:
    await room.database.write(saying(task, "one", "two", "three"))

    def read_two(tx: Transaction) -> list[int]:
        facts = tx.log.unread("launcher", 2)
        if facts:
            tx.log.mark_read("launcher", facts[-1].seq)
        return [fact.version for fact in facts]

    assert [await room.database.write(read_two) for _ in range(4)] == [[0, 1], [2, 3], [4], []]
    assert len(await room.database.read(lambda tx: tx.log.unread("announcer"))) == 5


@pytest.fixture
def other(url: str, database: Database) -> Iterator[Database]:
    """A second program on the same database."""
    with closing(Database(url)) as second:
        yield second


async def test_two_writers_at_once_skip_no_reader_past_a_fact(room: Room, other: Database) -> None:
    """A fact with a lower number must not become visible after one with a higher number was read."""
    tasks = [await room.task() for _ in range(4)]
    seen: list[int] = []
    done = asyncio.Event()

    def read_on(tx: Transaction) -> None:
        for fact in tx.log.unread("launcher", 7):
            seen.append(fact.seq)
            tx.log.mark_read("launcher", fact.seq)

    async def read_all() -> None:
        while not done.is_set():
            await room.database.write(read_on)
        await room.database.write(read_on)

    async def write(database: Database, task: Task) -> None:
        for number in range(25):
            await database.write(saying(task, str(number)))

    reading = asyncio.create_task(read_all())
    await asyncio.gather(*(write(database, task) for database in (room.database, other) for task in tasks))
    done.set()
    await reading
    while await room.database.read(lambda tx: len(tx.log.unread("launcher"))):
        await room.database.write(read_on)
    total = await room.database.read(lambda b: b.db.execute(text("SELECT count(*) FROM events")).scalar())
    assert seen == sorted(set(seen)) and len(seen) == total == 4 * 2 + 4 * 2 * 25
    assert await room.whole()


async def test_two_programs_number_their_tasks_without_a_gap_or_a_clash(room: Room, other: Database) -> None:
    opening = [
        database.write(partial(open_task, f"k{n}", ANA, CHANNEL, MORNING))
        for n in range(20)
        for database in (room.database, other)
    ]
    opened = await asyncio.gather(*opening)
    assert {task.id for task in opened} == {f"T-{n}" for n in range(1, 41)}
    assert await other.read(is_whole)


async def test_a_check_of_the_store_while_it_is_written_sees_one_instant(room: Room, other: Database) -> None:
    """Facts and what follows from them are read one after the other, yet must fit each other."""
    task = await room.task()

    async def write() -> None:
        for number in range(150):
            await room.database.write(saying(task, str(number)))

    writing = asyncio.create_task(write())
    while not writing.done():
        assert await other.read(is_whole)
    await writing


async def test_a_task_that_a_failed_transaction_moved_is_where_it_was(room: Room, task: Task) -> None:
    def fails(tx: Transaction) -> None:
        saying(task, "lost")(tx)
        raise IllegalMove("no", next_step="none")

    await room.database.write(saying(task, "one"))
    several = (saying(task, "two"), fails, saying(task, "three"), fails)
    await asyncio.gather(*(room.database.write(one) for one in several), return_exceptions=True)
    assert (await room.database.write(saying(task, "four"))).remarks == 4
    assert await room.whole()


async def test_two_programs_that_move_one_task_by_turns_each_see_what_the_other_did(
    room: Room, task: Task, other: Database
) -> None:
    for number in range(1, 9, 2):
        assert (await room.database.write(saying(task, "mine"))).remarks == number
        assert (await other.write(saying(task, "theirs"))).remarks == number + 1
    assert await room.whole()


async def test_facts_are_read_as_they_were_written(room: Room, task: Task) -> None:
    await room.database.write(saying(task, "one", "two"))
    unread = await room.database.write(lambda tx: tx.log.unread("a reader"))
    assert unread == await facts_of(room.database, task.id)


async def test_readers_cannot_write(room: Room, task: Task) -> None:
    with pytest.raises((DBAPIError, StoreUnavailable), match=r"read-?only"):
        await room.database.read(saying(task, "sneaked in"))
    assert len(await facts_of(room.database, task.id)) == 2


ASKED = """
import asyncio, sys
from store.database import Database
database = Database(sys.argv[1])
one, all = asyncio.run(database.read(lambda tx: (tx.log.task("T-1"), tx.log.tasks(ended=False, limit=9))))
print(one.remarks, all == [one])
database.close()
"""


@pytest.mark.parametrize("said", range(SAVE_EVERY + 2))
async def test_another_process_sees_every_fact_however_long_ago_the_task_was_written_out(
    room: Room, task: Task, url: str, said: int
) -> None:
    for number in range(said):
        await room.database.write(saying(task, f"remark {number}"))
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", ASKED, url, stdout=asyncio.subprocess.PIPE)
    printed, _ = await process.communicate()
    assert printed.decode().split() == [str(said), "True"]
    assert await room.database.read(lambda tx: audit.examine(tx.db).apart) == ()
