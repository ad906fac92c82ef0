"""What a skill is to be: its form, what is wrong with one, and where a draft may go."""

import json
from itertools import product

import pytest

from agents.domain.skills.drafting import find_faults
from agents.domain.skills.spec import (
    SKILL_MOVES,
    Known,
    SkillSpec,
    SkillState,
    clashes,
    faults_of,
    from_fields,
    read_form,
    to_fields,
    without_clashes,
)

S = SkillState
SPEC = SkillSpec(
    name="add-endpoint",
    description="Adds an endpoint",
    keywords=("endpoint", "route"),
    file_patterns=("src/**/api.py",),
    instructions="1. Read the routes.",
)
LEGAL = {
    *((S.DRAFT, S.APPROVED), (S.DRAFT, S.REJECTED)),
    *((S.APPROVED, S.WRITING), (S.WRITING, S.VALIDATING), (S.VALIDATING, S.WRITING), (S.VALIDATING, S.IN_PR)),
    *((S.IN_PR, S.MERGED), *((state, S.FAILED) for state in (S.APPROVED, S.WRITING, S.VALIDATING, S.IN_PR))),
}


def test_every_state_has_its_moves() -> None:
    assert SKILL_MOVES.keys() == set(S)
    assert {(a, b) for a, b in product(S, S) if b in SKILL_MOVES[a]} == LEGAL


def test_a_form_brings_back_what_it_showed() -> None:
    assert from_fields(to_fields(SPEC)) == SPEC
    assert read_form(json.dumps({"keywords": "a, b\nc"}), SPEC).keywords == ("a", "b", "c")
    assert read_form(json.dumps({"keywords": ""}), SPEC).keywords == (), "an emptied field is empty"
    assert read_form("just words", SPEC).instructions == "just words"
    assert read_form('["no", "object"]', SPEC).name == SPEC.name


@pytest.mark.parametrize(
    ("field", "text"),
    [
        ("name", ""),
        ("name", "Add Endpoint"),
        ("name", "../../x"),
        ("description", " "),
        ("description", "x" * 501),
        ("instructions", ""),
        ("instructions", "x" * 20_001),
        ("keywords", "x" * 61),
        ("keywords", "\n".join(f"w{number}" for number in range(31))),
        ("file_patterns", "../secrets"),
        ("file_patterns", "/etc/*"),
    ],
)
def test_what_is_wrong_stands_beside_its_field(field: str, text: str) -> None:
    assert not faults_of(SPEC)
    found = faults_of(from_fields({**to_fields(SPEC), field: text}))
    assert [each.field for each in found] == [field] and found[0].what


def test_a_skill_that_nothing_calls_for_is_none() -> None:
    found = faults_of(SkillSpec(name="x", description="x", instructions="x"))
    assert [each.field for each in found] == ["keywords"]


def test_triggers_that_another_skill_has_are_named() -> None:
    other = Known(name="routes", keywords=("ROUTE", "path"), file_patterns=("src/**/api.py",))
    found = [each.what for each in clashes(SPEC, [other])]
    assert found == ["`route` calls for the skill `routes`", "`src/**/api.py` calls for the skill `routes`"]
    assert [each.what for each in clashes(SPEC, [Known(name="add-endpoint")])] == [
        "there is a skill `add-endpoint` already"
    ]
    left = without_clashes(SPEC, [other])
    assert (left.keywords, left.file_patterns) == (("endpoint",), ())


def test_a_revision_keeps_its_name_and_does_not_clash_with_itself() -> None:
    itself = Known(name="add-endpoint", keywords=("endpoint",))
    assert find_faults(SPEC, [itself], "add-endpoint") == ()
    assert find_faults(SPEC, [itself], "other")[-1] == ("name", "it revises `other`, so it keeps that name")


def test_what_is_shown_is_what_is_hashed() -> None:
    changed = [{**to_fields(SPEC), name: f"{text}x"} for name, text in to_fields(SPEC).items()]
    assert len({SPEC.hash, *(from_fields(each).hash for each in changed)}) == len(changed) + 1
