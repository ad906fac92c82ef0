"""What a person said can be removed, and facts, chain and replay still hold."""

import json

import pytest
from sqlalchemy import String, cast, insert, select, text

from agents.domain import events as e
from agents.domain.ids import Account, TaskId
from agents.domain.task.task import Task
from store import tables
from store.codec import REMOVED, Cause, join_prose, split_prose
from store.database import Database
from store.streams.forgetting import Forgotten, StillUnderWay, forget
from store.transaction import Transaction
from tests.store.room import ANA, CHANNEL, LEAD, OPERATOR, Room
from tests.store.test_migrations import let_facts_change

MARKER = "zebra crossing at the harbour for seven sailors"


async def tables_with(database: Database, words: str) -> set[str]:
    """Every table that has these words anywhere in it."""

    def question(tx: Transaction) -> set[str]:
        return {
            table.name
            for table in tables.metadata.sorted_tables
            for column in table.columns
            if tx.db.execute(select(column).where(cast(column, String).icontains(words)).limit(1)).first()
        }

    return await database.read(question)


async def forget_all_of(room: Room, account: Account) -> Forgotten:
    def transaction(tx: Transaction) -> Forgotten:
        person = tx.people.find(account)
        assert person is not None
        return forget(tx, person, Cause(actor=OPERATOR, delivery="forget"), room.clock.now())

    return await room.database.write(transaction)


async def told_task(room: Room) -> Task:
    """Ana asks and remarks, the lead remarks, and it is cancelled."""
    thread = f"{CHANNEL}:1"
    await room.say(ANA, f"Please add a {MARKER}", thread)
    await room.say(ANA, f"and paint the {MARKER} green", thread)
    await room.say(LEAD, "mind the weather in autumn", thread)
    await room.announce()
    quoted = {"run": "T-1.1.1", "number": 1, "body": json.dumps({"ask": f"She wants: Please add a {MARKER}"}), "at": 0}
    await room.database.write(lambda tx: tx.db.execute(insert(tables.turns).values(quoted)))
    return await room.database.read(lambda tx: tx.log.task(TaskId("T-1")))


async def end(room: Room, task: Task) -> None:
    fact = e.TaskCancelled(task=task.id, at=room.clock.now(), by=task.request.by, reason=f"no {MARKER} any more")
    await room.database.write(lambda tx: tx.log.append(task.id, [fact], Cause(actor=ANA, delivery="end")))


async def test_no_table_holds_the_words_afterwards_and_all_is_whole(room: Room) -> None:
    task = await told_task(room)
    await end(room, task)
    await room.announce()
    held = await tables_with(room.database, MARKER)
    assert {"words", "snapshots", "listings", "posts", "messages", "deliveries", "turns"} <= held
    assert "events" not in held, "a fact holds the hash alone"

    gone = await forget_all_of(room, ANA)
    await room.announce()
    assert await tables_with(room.database, MARKER) == set()
    assert gone.tasks == ("T-1",) and gone.texts >= 3 and gone.facts_with_words == 0
    assert await room.whole()
    after = await room.database.read(lambda tx: tx.log.task(task.id))
    assert after.request.text == REMOVED
    assert "words" in await tables_with(room.database, "mind the weather in autumn"), "what others said stays"
    again = await forget_all_of(room, ANA)
    assert (again.texts, again.rows) == (0, 0)


async def test_nothing_is_removed_while_work_goes_on_with_it(room: Room) -> None:
    await told_task(room)
    before = await tables_with(room.database, MARKER)
    with pytest.raises(StillUnderWay, match="T-1"):
        await forget_all_of(room, ANA)
    assert await tables_with(room.database, MARKER) == before and await room.whole()


async def test_facts_of_an_earlier_version_keep_their_words_and_are_counted(room: Room) -> None:
    task = await told_task(room)
    await end(room, task)

    await room.database.write(lambda tx: let_facts_change(tx.db))
    gone = await forget_all_of(room, ANA)
    assert gone.facts_with_words >= 2 and "events" in await tables_with(room.database, MARKER)


@pytest.mark.parametrize(
    "body",
    [
        '{"task":"T-1","by":"x"}',
        '{"task":"T-1","text":"yes"}',
        '{"task":"T-1","text":"~1","plan":{"goal":"a \\"~2\\" b","files":["a.py","b c.py"]},"number":1}',
        '{"task":"T-1","answer":"\\u0000 \\\\ \\" \\n","words":"","at":"2026-03-02T09:30:00Z"}',
    ],
)
def test_words_come_back_where_they_were(body: str) -> None:
    rest, prose = split_prose(body)
    assert json.loads(join_prose(rest, prose)) == json.loads(body)
    assert rest.startswith('{"task":"T-1",'), "a task's facts are found by how they begin"
    assert '"yes"' not in rest and " " not in rest


async def test_a_short_answer_cannot_be_guessed_from_its_hash(room: Room) -> None:
    assert split_prose('{"text":"yes"}')[0] != split_prose('{"text":"yes"}')[0]
    task = await room.task()
    await room.say(ANA, "yes", task.request.thread)
    bodies = await room.database.read(lambda tx: tx.db.execute(text("SELECT body FROM events")).scalars().all())
    assert not any('"yes"' in body for body in bodies)
