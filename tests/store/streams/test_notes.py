"""Notes as a table: none is confirmed or merged without the decision of a person, and each says how far it has come."""

from dataclasses import replace
from datetime import timedelta

import pytest
from sqlalchemy import delete, insert
from sqlalchemy.exc import IntegrityError

from agents.domain.ids import DecisionId, PersonId
from agents.domain.knowledge.facts import MOST_PENDING, NotesConfirmed, NotesDiscarded, NotesMerged, NotesUnmerged
from agents.domain.knowledge.note import NoteChange
from agents.domain.knowledge.record import NoteState, replay
from agents.domain.supervision.facts import SupervisorRan
from store.codec import Cause
from store.note_table import notes
from store.streams import audit, notes as note_rows
from store.transaction import Transaction
from tests.builders.supervision import AT, SHOP, TASK, note, ran
from tests.store.room import Room

LEAD = PersonId("lead")
ROW = {
    "id": "n", "project": SHOP, "task": "T-1", "name": "conventions/x", "state": "pending", "change": "{}", "at": 0.0,
}  # fmt: skip


def confirmed(*changes: NoteChange) -> NotesConfirmed:
    return NotesConfirmed(task=TASK, project=SHOP, at=AT, decision=DecisionId("d"), by=LEAD, notes=changes)


def merged(*changes: NoteChange) -> NotesMerged:
    ids, names = tuple(each.id for each in changes), tuple(each.name for each in changes)
    return NotesMerged(task=TASK, project=SHOP, at=AT, notes=ids, names=names)


@pytest.mark.parametrize("state", ["confirmed", "merged"])
async def test_the_database_itself_refuses_what_nobody_decided(room: Room, state: str) -> None:
    """P9: neither without a decision, nor with one that there is not."""
    for more in ({}, {"decision": "of-nobody"}, {"merge": "of-nobody"}):

        def write(tx: Transaction, more: dict[str, str] = more) -> None:
            tx.db.execute(insert(notes).values({**ROW, "state": state, **more}))

        with pytest.raises(IntegrityError):
            await room.database.write(write)
    await room.database.write(lambda tx: tx.db.execute(insert(notes).values(ROW)) and None)


@pytest.mark.parametrize("fact", [confirmed(note("x")), merged(note("x"))])
async def test_a_fact_of_a_decision_that_nobody_made_is_refused_with_all_that_came_with_it(
    room: Room, fact: NotesConfirmed | NotesMerged
) -> None:
    task = await room.task()
    facts = [ran(notes=(note("x"),)), fact]

    def write(tx: Transaction) -> None:
        tx.log.append(task.id, facts, Cause(actor="overlord", delivery="job:1"))

    with pytest.raises(IntegrityError):
        await room.database.write(write)
    assert await room.database.read(lambda tx: tx.notes.newest(5)) == []


def test_a_later_guess_takes_the_place_of_an_earlier_and_never_of_what_a_person_confirmed() -> None:
    first, second = note("x"), replace(note("x"), rules=("Do that",))
    found = replay([ran(notes=(first,)), ran(notes=(second,))])
    assert {each.change.rules: each.state for each in found.values()} == {
        ("Do it",): NoteState.REPLACED,
        ("Do that",): NoteState.PENDING,
    }
    found = replay([ran(notes=(first,)), confirmed(first), ran(notes=(second,))])
    assert [each.state for each in found.values()] == [NoteState.CONFIRMED, NoteState.PENDING]


def test_each_end_has_its_state() -> None:
    a, b, c, d = (note(name) for name in "abcd")
    inert = replace(d, needs_user_review=True)
    facts = [
        ran(notes=(a, b, c, inert)),
        confirmed(a),
        NotesDiscarded(task=TASK, project=SHOP, at=AT, by=LEAD, notes=(b,)),
        merged(a),
        NotesUnmerged(task=TASK, project=SHOP, at=AT, number=3, notes=(c.id,)),
    ]
    found = replay(facts)
    states = (NoteState.MERGED, NoteState.DISCARDED, NoteState.LEFT_OUT, NoteState.WAITS)
    assert tuple(found[each.id].state for each in (a, b, c, inert)) == states
    assert found[a.id].is_established and not found[b.id].is_established


def test_too_many_that_wait_let_the_oldest_go() -> None:
    def late(number: int) -> SupervisorRan:
        return replace(ran(notes=(note(f"n{number}"),)), at=AT + timedelta(seconds=number))

    found = replay([late(number) for number in range(MOST_PENDING + 2)])
    assert [each.change.slug for each in found.values() if each.state is NoteState.REPLACED] == ["n0", "n1"]


async def test_a_database_without_the_table_gets_it_from_its_facts(room: Room) -> None:
    task = await room.task()
    facts = [ran(notes=(note("x"),)), NotesDiscarded(task=TASK, project=SHOP, at=AT, by=LEAD, notes=(note("x"),))]

    def write(tx: Transaction) -> None:
        tx.log.append(task.id, facts, Cause(actor="overlord", delivery="job:1"))
        tx.db.execute(delete(notes))

    await room.database.write(write)
    assert await room.database.read(lambda tx: audit.examine(tx.db).apart) == (f"{SHOP}: its notes",)
    await room.database.write(lambda tx: note_rows.fill(tx.db))
    assert await room.database.read(lambda tx: audit.examine(tx.db).apart) == ()
    assert [each.state for each in await room.database.read(lambda tx: tx.notes.newest(5))] == [NoteState.DISCARDED]
