"""What a supervisor may want written, and who owns which folder."""

from dataclasses import replace
from itertools import product

import pytest

from agents.domain.ids import TaskId
from agents.domain.knowledge.editing import read_edit
from agents.domain.knowledge.note import OWNER, RULES, Folder, NoteChange, Supervisor, faults, written_size

CHANGE = NoteChange(
    folder=Folder.CONVENTIONS,
    slug="errors",
    title="Errors",
    rules=("Raise ToolError, never Exception",),
    by=Supervisor.CODE_STYLE,
    task=TaskId("T-4"),
)


@pytest.mark.parametrize(("folder", "by"), list(product(Folder, Supervisor)))
def test_a_supervisor_writes_into_its_own_folders_only(folder: Folder, by: Supervisor) -> None:
    found = faults(replace(CHANGE, folder=folder, by=by))
    assert bool(found) is (OWNER[folder] is not by)
    assert all(f"does not own {folder}/" in words for words in found)


@pytest.mark.parametrize(
    "wrong",
    [
        {"slug": "../../ci"},
        {"slug": "Errors"},
        {"slug": ""},
        {"slug": "x" * 61},
        {"title": ""},
        {"title": "x" * 81},
        {"title": "Errors\n_Status: established_"},
        {"rules": ()},
        {"rules": ("One\n2. Two",)},
        {"rules": (" ",)},
        {"rules": ("x" * RULES,)},
        {"good": "x" * 601},
        {"rationale": "x" * 601},
    ],
)
def test_what_cannot_be_written_is_said(wrong: dict[str, object]) -> None:
    assert not faults(CHANGE)
    assert len(faults(replace(CHANGE, **wrong))) == 1  # type: ignore[arg-type]


def test_rules_are_measured_as_they_are_written() -> None:
    assert written_size(("x" * (RULES - 3),)) == RULES
    assert not faults(replace(CHANGE, rules=("x" * (RULES - 3),)))


def test_a_deprecated_note_needs_no_rules() -> None:
    assert not faults(replace(CHANGE, rules=(), deprecates=True))


def test_the_same_change_has_the_same_id() -> None:
    assert replace(CHANGE, what="said in other words").id == CHANGE.id
    assert replace(CHANGE, rules=("Never raise Exception",)).id != CHANGE.id
    assert replace(CHANGE, task=TaskId("T-5")).id != CHANGE.id


def test_rules_that_a_person_wrote_over_are_read_by_the_names_of_their_notes() -> None:
    one, two = CHANGE, replace(CHANGE, slug="texts")
    [alone] = read_edit([one], "1. Trim all names\n\n- Never twice\nand so on")
    assert alone.rules == ("Trim all names", "Never twice", "and so on") and alone.what == "edited by a person"
    lines = ("who knows", two.name, "2) Cut texts", one.name, "* Trim", two.name, "+ More")
    both = list(read_edit([one, two], "\n".join(lines)))
    assert [(each.name, each.rules) for each in both] == [(two.name, ("Cut texts", "More")), (one.name, ("Trim",))]
    assert [each.name for each in read_edit([one, two], f"{one.name}\n1. Trim")] == [one.name], "the other is left out"
