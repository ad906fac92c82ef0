"""What became of each change of a note, as rows: what a fact makes, what it replaces, what nobody knows any more."""

from dataclasses import replace
from datetime import timedelta

import pytest

from agents.domain.ids import DecisionId, PersonId
from agents.domain.knowledge.facts import (
    MOST_PENDING,
    NotesConfirmed,
    NotesDiscarded,
    NotesMerged,
    NotesUnmerged,
)
from agents.domain.knowledge.note import NoteChange
from agents.domain.knowledge.record import NoteRow, NoteState, named_in, replay, rows_after
from tests.builders.supervision import AT, SHOP, TASK, note, ran

ANA = PersonId("ana")


def merged(*ids: str) -> NotesMerged:
    return NotesMerged(task=TASK, project=SHOP, at=AT, notes=ids, names=ids)


def unmerged(*ids: str) -> NotesUnmerged:
    return NotesUnmerged(task=TASK, project=SHOP, at=AT, number=3, notes=ids)


def confirmed(*notes: NoteChange) -> NotesConfirmed:
    return NotesConfirmed(task=TASK, project=SHOP, at=AT, decision=DecisionId("d"), by=ANA, notes=notes)


def discarded(*notes: NoteChange) -> NotesDiscarded:
    return NotesDiscarded(task=TASK, project=SHOP, at=AT, by=ANA, notes=notes)


def states(rows: dict[str, NoteRow]) -> dict[str, NoteState]:
    return {row.change.slug: row.state for row in rows.values()}


@pytest.mark.parametrize(
    ("change", "state"),
    [
        (note("errors"), NoteState.PENDING),
        (replace(note("errors"), deprecates=True), NoteState.WAITS),
        (replace(note("errors"), needs_user_review=True), NoteState.WAITS),
    ],
)
def test_what_would_take_something_away_waits_for_a_person(change: NoteChange, state: NoteState) -> None:
    assert states(replay([ran(notes=(change,))])) == {"errors": state}


def test_a_later_change_of_the_same_note_replaces_the_one_that_is_open() -> None:
    first, second, other = note("errors"), replace(note("errors"), rules=("Do more",)), note("names")
    found = replay([ran(notes=(first, other)), ran(notes=(second,))])
    assert {id: row.state for id, row in found.items()} == {
        first.id: NoteState.REPLACED,
        other.id: NoteState.PENDING,
        second.id: NoteState.PENDING,
    }


def test_what_a_person_confirmed_is_replaced_by_what_a_person_confirms_alone() -> None:
    first, second = note("errors"), replace(note("errors"), rules=("Do more",))
    guessed = replay([ran(notes=(first,)), confirmed(first), ran(notes=(second,))])
    assert guessed[first.id].state is NoteState.CONFIRMED and guessed[first.id].decision == "d"
    again = replay([ran(notes=(first,)), confirmed(first), confirmed(second)])
    assert (again[first.id].state, again[second.id].state) == (NoteState.REPLACED, NoteState.CONFIRMED)


def test_what_is_merged_after_a_person_confirmed_it_is_established() -> None:
    change = note("errors")
    assert replay([ran(notes=(change,)), confirmed(change), merged(change.id)])[change.id].is_established
    assert not replay([ran(notes=(change,)), merged(change.id)])[change.id].is_established
    assert not replay([ran(notes=(change,)), confirmed(change)])[change.id].is_established


def test_facts_about_changes_that_are_forgotten_make_no_rows() -> None:
    change = note("errors")
    for fact in (merged(change.id), unmerged(change.id), discarded(change)):
        assert rows_after({}, fact) == []
        assert named_in(fact) == (change.id,)
    known = replay([ran(notes=(change,))])
    assert [row.state for row in rows_after(known, unmerged(change.id, "gone"))] == [NoteState.LEFT_OUT]
    assert [row.state for row in rows_after(known, discarded(change, note("gone")))] == [NoteState.DISCARDED]
    assert [row.state for row in rows_after(known, merged(change.id, "gone"))] == [NoteState.MERGED]


def test_of_too_many_open_changes_the_oldest_goes_and_what_is_settled_is_not_counted() -> None:
    changes = [note(f"n{number}") for number in range(MOST_PENDING)]
    facts = [replace(ran(notes=(each,)), at=AT + timedelta(hours=at)) for at, each in enumerate(changes)]
    full = replay(facts)
    assert set(states(full).values()) == {NoteState.PENDING}
    one_more = replace(ran(notes=(note("late"),)), at=AT + timedelta(days=9))
    assert [row.change.slug for row in replay([*facts, one_more]).values() if row.state is NoteState.REPLACED] == ["n0"]
    settled = replay([*facts, merged(changes[3].id), one_more])
    assert NoteState.REPLACED not in states(settled).values()
