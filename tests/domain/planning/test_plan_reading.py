"""What code makes of a planner's words: kinds and sizes with safe defaults, synonyms, and corrections."""

from dataclasses import replace
from enum import StrEnum

import pytest
from hypothesis import given, strategies as st

from agents.domain.planning.decomposition import Confidence, Edge, PlanPhase, with_closing
from agents.domain.planning.plan_faults import faults
from agents.domain.planning.plan_reading import correct_plan, kind_of, read_word
from agents.domain.planning.work_kind import SubtaskSize, WorkKind, kind_of_all, size_of
from tests.builders.decompositions import plan, spike, subtask

K = WorkKind
CODE, DOCS, TESTS = "src/app.py", "docs/guide.md", "tests/test_app.py"


@pytest.mark.parametrize(
    ("wanted", "files", "made"),
    [
        (None, (), K.FEATURE),
        (None, (CODE,), K.FEATURE),
        (None, (DOCS,), K.DOCS),
        (None, (TESTS, DOCS), K.TESTS),
        (None, (TESTS, CODE), K.FEATURE),
        (K.DOCS, (DOCS, CODE), K.FEATURE),
        (K.DOCS, (TESTS,), K.TESTS),
        (K.TESTS, (TESTS, CODE), K.FEATURE),
        (K.SPIKE, (CODE,), K.FEATURE),
        (K.SPIKE, (DOCS,), K.SPIKE),
        (K.SPIKE, (), K.SPIKE),
        (K.DOCS, (), K.DOCS),
        (K.FIX, (DOCS,), K.FIX),
        (K.REFACTOR, (CODE,), K.REFACTOR),
    ],
)
def test_files_have_the_last_word_on_a_kind(wanted: WorkKind | None, files: tuple[str, ...], made: WorkKind) -> None:
    assert kind_of(wanted, files) is made


@given(st.sampled_from([None, *WorkKind]), st.lists(st.sampled_from((CODE, DOCS, TESTS, "src/", "Makefile"))))
def test_a_kind_that_asks_for_less_is_never_assumed(wanted: WorkKind | None, files: list[str]) -> None:
    made = kind_of(wanted, files)
    assert made is wanted or made not in (K.REFACTOR, K.SPIKE)
    assert kind_of(made, files) is made, "what was corrected needs no correction"


@pytest.mark.parametrize(
    ("kinds", "made"),
    [
        ({K.DOCS}, K.DOCS),
        ({K.REFACTOR, K.SPIKE}, K.REFACTOR),
        ({K.DOCS, K.TESTS}, K.FEATURE),
        ({K.SPIKE}, K.FEATURE),
        (set(), K.FEATURE),
    ],
)
def test_the_whole_is_of_the_kind_that_its_parts_share(kinds: set[WorkKind], made: WorkKind) -> None:
    assert kind_of_all(kinds) is made


@pytest.mark.parametrize(
    ("hours", "size"), [(0, "small"), (1, "small"), (1.5, "medium"), (2.5, "large"), (60, "large")]
)
def test_a_size_follows_from_hours(hours: float, size: str) -> None:
    assert size_of(hours) is SubtaskSize(size)


@pytest.mark.parametrize(
    ("said", "kind", "meant"),
    [
        ("feature", WorkKind, K.FEATURE),
        ("Bug-Fix", WorkKind, K.FIX),
        (" NEW_FEATURE ", WorkKind, K.FEATURE),
        ("refactoring", WorkKind, K.REFACTOR),
        ("closing", WorkKind, None),
        ("chore", WorkKind, None),
        ("cleanup", WorkKind, None),
        ("", WorkKind, None),
        (7, WorkKind, None),
        (None, WorkKind, None),
        ("XL", SubtaskSize, SubtaskSize.LARGE),
        ("moderate", Confidence, Confidence.MEDIUM),
        ("depends_on", Edge, Edge.BLOCKS),
        ("informed by", Edge, Edge.INFORMS),
    ],
)
def test_a_plain_synonym_is_understood_and_nothing_else(said: object, kind: type[StrEnum], meant: object) -> None:
    assert read_word(said, kind) is meant


def test_a_correction_is_marked_and_done_once() -> None:
    drafted = plan(
        subtask(1, kind=K.DOCS, role="boss", project="api", opening=True),
        subtask(2, role="ui_designer", kind=K.FIX),
    )
    made = correct_plan(drafted, {"implementer", "ui_designer"}, "api")
    first, second = made.subtasks
    assert (first.kind, first.role, first.project, first.assumed) == (K.FEATURE, "", "", ("kind", "role"))
    assert not first.opening and second == drafted.subtasks[1]
    assert correct_plan(made, {"implementer", "ui_designer"}, "api") == made
    assert faults(with_closing(made), None, {"ui_designer"}) == []


def test_a_phase_that_nobody_is_in_goes_and_the_others_are_in_order() -> None:
    phases = (PlanPhase(number=2, title="then"), PlanPhase(number=9, title="never"), PlanPhase(number=1, title="first"))
    drafted = replace(plan(subtask(1), subtask(2, phase=2)), phases=phases)
    assert [phase.title for phase in correct_plan(drafted, (), "").phases] == ["first", "then"]
    told = faults(drafted)
    assert told == ["Phase 9 is described, but no subtask is in it: leave it out"]
    twice = replace(drafted, phases=(phases[0], phases[0]))
    assert "Phase 2 is described twice" in faults(twice)[0]


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"role": "boss"}, "Subtask 1 is for the role boss; roles that do subtasks: implementer"),
        ({"project": "web"}, "Subtask 1 is about the project web: a task is about one project"),
        ({"kind": K.DOCS}, "Subtask 1 is of kind docs, but its files are not: it is a feature"),
        ({"kind": K.SPIKE}, "Subtask 1 is of kind spike, but its files are not: it is a feature"),
    ],
)
def test_what_a_person_wrote_into_a_plan_is_refused_with_words(changed: dict[str, object], said: str) -> None:
    (told,) = faults(plan(subtask(1, **changed)), None, ("implementer",))
    assert told.startswith(said)


def test_parts_of_a_plan_that_follow_from_others() -> None:
    made = with_closing(plan(spike(1), subtask(2, 1), subtask(3, 1, phase=2)))
    assert [each.number for each in made.subtasks if each.spike] == [1] and len(made.steps) == 3
    assert made.closing and made.closing.kind is K.FEATURE and made.phase_numbers == (1, 2)
    assert made.phase(2) == PlanPhase(number=2)
