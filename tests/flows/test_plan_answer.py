"""Plans as models write them, clumsy and broken ones among them: what is read, what is filled in, what is refused."""

import json
from typing import Any

import pytest

from agents.domain.planning.decomposition import Confidence, Decomposition, Edge, Need, Subtask
from agents.domain.planning.work_kind import SubtaskSize, WorkKind
from agents.flows.plan_answer import PlanSays
from agents.llm.answers import NONCE, BadAnswer, plain_schema, read_answer

K, S, C = WorkKind, SubtaskSize, Confidence
BARE: dict[str, Any] = {"title": "Count", "why": "it is asked for"}


def drafted(*subtasks: dict[str, Any], **more: Any) -> Decomposition:
    """As a model's words, all the way through the strict reader."""
    said = {NONCE: "n", "status": "COMPLETE", "goal": "g", "subtasks": subtasks, **more}
    made = read_answer(json.dumps(said), PlanSays, "n").to_draft()
    assert isinstance(made, Decomposition)
    return made


def one(**said: Any) -> Subtask:
    return drafted({**BARE, **said}).subtasks[0]


def test_a_whole_subtask_is_taken_as_it_is_said() -> None:
    said = one(
        kind="fix", changes_tests=True, role="ui_designer", project="api", files=["src/a.py"], size="large", hours=3,
        review_minutes=12, confidence="high", test="pytest", decides=True, phase=2, tags=["UI"],
    )  # fmt: skip
    assert said == Subtask(
        number=1, title="Count", why="it is asked for", kind=K.FIX, changes_tests=True, role="ui_designer",
        project="api", files=("src/a.py",), size=S.LARGE, hours=3.0, review_minutes=15, confidence=C.HIGH,
        test="pytest", decides=True, phase=2, tags=("ui",),
    )  # fmt: skip


SIZES = [("small", 1, 5), ("small", 5, 13), ("medium", 1, 10), ("small", 9, 15)]


@pytest.mark.parametrize(("size", "files", "minutes"), SIZES)
def test_minutes_of_review_are_reckoned_whatever_a_planner_guesses(size: str, files: int, minutes: int) -> None:
    said = one(size=size, files=[f"src/{n}.py" for n in range(files)], review_minutes=999)
    assert said.review_minutes == minutes


def test_a_need_reads_after_and_earlier_words_are_understood() -> None:
    schema = plain_schema(PlanSays)
    assert '"after"' in schema and '"blocks"' not in schema
    for word in ("after", "blocks", "informed_by", "informs"):
        edge = Edge.BLOCKS if word in ("after", "blocks") else Edge.INFORMS
        assert one(needs=[{"number": 2, "edge": word}]).needs == (Need(number=2, edge=edge),)


def test_what_is_left_out_has_a_safe_default_that_is_marked() -> None:
    said = one()
    assert (said.kind, said.size, said.confidence, said.changes_tests) == (K.FEATURE, S.MEDIUM, C.LOW, False)
    assert (said.hours, said.review_minutes) == (2.0, 10)
    assert said.assumed == ("kind", "size", "confidence")


@pytest.mark.parametrize(
    ("said", "kind", "assumed"),
    [
        ({"kind": "Bug Fix"}, K.FIX, False),
        ({"kind": "chore"}, K.FEATURE, True),
        ({"kind": ["fix"]}, K.FEATURE, True),
        ({"kind": ""}, K.FEATURE, True),
        ({"kind": "closing"}, K.FEATURE, True),
        ({"kind": "opening"}, K.FEATURE, True),
        ({"kind": "Information Spike"}, K.SPIKE, False),
        ({"number": 7, "kind": "tests"}, K.TESTS, False),
    ],
)
def test_a_kind_in_other_words(said: dict[str, Any], kind: WorkKind, assumed: bool) -> None:
    made = one(**said)
    assert (made.kind, "kind" in made.assumed, made.number) == (kind, assumed, 1)


@pytest.mark.parametrize(
    ("said", "size", "hours"),
    [
        ({"size": "small"}, S.SMALL, 1.0),
        ({"size": "XL"}, S.LARGE, 4.0),
        ({"hours": 0.5}, S.SMALL, 0.5),
        ({"size": "small", "hours": 4}, S.LARGE, 4.0),
        ({"size": "large", "hours": 1}, S.LARGE, 1.0),
        ({"size": "gigantic"}, S.MEDIUM, 2.0),
    ],
)
def test_of_size_and_hours_the_larger_counts(said: dict[str, Any], size: SubtaskSize, hours: float) -> None:
    made = one(**said)
    assert (made.size, made.hours) == (size, hours)


def test_edges_are_read_however_they_are_written() -> None:
    made = drafted(
        {**BARE, "informs": [3]},
        {**BARE, "needs": [1]},
        {**BARE, "needs": [{"number": 2, "edge": "depends_on"}]},
        {**BARE, "needs": [{"number": 1, "edge": "inform"}, {"number": 3, "edge": "whatever"}], "informs": [9]},
    )
    informs = Need(number=1, edge=Edge.INFORMS)
    assert [s.needs for s in made.subtasks] == [
        (),
        (Need(number=1),),
        (Need(number=2), informs),
        (informs, Need(number=3)),
    ]
    assert made.subtasks[2].informed_by == (1,) and made.subtasks[2].blocked_by == (2,)


def test_who_needs_a_subtask_is_not_also_informed_by_it() -> None:
    made = drafted({**BARE, "informs": [2]}, {**BARE, "needs": [1]})
    assert made.subtasks[1].needs == (Need(number=1),)


def test_assumptions_issues_and_phases_with_and_without_their_reasons() -> None:
    made = drafted(
        BARE,
        assumptions=["bare", {"what": "whole", "why": "it carries all"}],
        issues=[{"what": "README lies", "why": "people follow it"}],
        phases=[{"order": 1, "title": "first", "interfaces": ["Store.get"]}],
        risks=[{"what": "w", "mitigation": "m"}],
    )
    assert [(each.what, each.why) for each in made.assumptions] == [("bare", ""), ("whole", "it carries all")]
    assert (made.issues[0].what, made.issues[0].why) == ("README lies", "people follow it")
    assert (made.phases[0].number, made.phases[0].title, made.phases[0].interfaces) == (1, "first", ("Store.get",))


@pytest.mark.parametrize(
    "said",
    [
        {"changes_tests": "some"},
        {"changes_tests": 1},
        {"needs": ["the first"]},
        {"phase": 0},
        {"title": ""},
        {"files": [7]},
    ],
)
def test_what_is_no_answer_is_refused_and_said(said: dict[str, Any]) -> None:
    with pytest.raises(BadAnswer, match=f"subtasks.0.*{next(iter(said))}"):
        one(**said)


def test_a_mark_that_only_code_sets_is_no_part_of_an_answer() -> None:
    made = one(closing=True, opening=True, assumed=[])
    assert not made.closing and not made.opening and made.assumed == ("kind", "size", "confidence")


@pytest.mark.parametrize("subtasks", [["do it"], [None], [[BARE]], [7]])
def test_a_subtask_that_is_no_object_is_refused(subtasks: list[Any]) -> None:
    with pytest.raises(BadAnswer, match="subtasks"):
        drafted(*subtasks)
