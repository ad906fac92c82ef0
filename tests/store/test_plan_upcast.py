"""Plans of version 1 in facts and in kept tasks: they are read as today's, and every approval of one still holds."""

import json
from dataclasses import replace
from typing import Any

from hypothesis import given

from agents.domain import events as e
from agents.domain.planning.decomposition import Assumption, Decomposition, PlanIssue, PlanPhase
from agents.domain.planning.work_kind import SubtaskSize, WorkKind
from store.codec import dump, join_prose, load_event, shape, split_prose
from store.upcasts import upcast_plans
from tests.builders import plans_v1
from tests.builders.decompositions import plan, subtask


def read(old: plans_v1.Decomposition) -> Decomposition:
    """By way of a fact whose words are kept apart, as every stored fact goes."""
    fact = {"task": "T-1", "at": "2026-01-01T00:00:00Z", "number": 1, "estimate": 1.5, "plan": plans_v1.stored(old)}
    body, prose = split_prose(json.dumps(fact, separators=(",", ":"), ensure_ascii=False))
    event = load_event("DecompositionDrafted", body, prose)
    assert isinstance(event, e.DecompositionDrafted)
    return event.plan


@given(plans_v1.PLANS)
def test_a_plan_of_version_1_keeps_the_hash_that_people_approved(old: plans_v1.Decomposition) -> None:
    now = read(old)
    assert (now.version, now.hash) == (1, old.hash)
    assert [s.title for s in now.subtasks] == [s.title for s in old.subtasks]
    assert [s.spike for s in now.subtasks] == [s.spike for s in old.subtasks]
    assert [each.what for each in now.assumptions] == list(old.assumptions)
    assert all({"kind", "size"} <= set(s.assumed) for s in now.subtasks), "people see that nobody approved these"


@given(plans_v1.PLANS)
def test_what_was_read_is_written_and_read_again(old: plans_v1.Decomposition) -> None:
    now = read(old)
    text = dump(now)
    assert upcast_plans(json.dumps({"plan": json.loads(text)}, separators=(",", ":"))).find('"version":1') > 0
    again = shape(Decomposition).validate_json(text)
    assert (again, again.hash) == (now, old.hash)


def test_a_kept_task_may_hold_plans_of_both_versions() -> None:
    old = plans_v1.Decomposition(
        goal="g",
        subtasks=(plans_v1.Subtask(number=1, title="a", why="", files=("README.md",), hours=3.0),),
        assumptions=("nobody knows",),
    )
    new = plan(subtask(1))
    state: dict[str, Any] = {"plan": {"draft": json.loads(dump(new)), "previous": plans_v1.stored(old)}}
    held = json.loads(upcast_plans(json.dumps(state, separators=(",", ":")), "plan"))["plan"]
    assert held["draft"] == state["plan"]["draft"], "today's is left as it is"
    previous = shape(Decomposition).validate_python(held["previous"])
    assert previous.hash == old.hash and previous.assumptions == (Assumption(what="nobody knows"),)
    assert (previous.subtasks[0].kind, previous.subtasks[0].size) == (WorkKind.DOCS, SubtaskSize.LARGE)


def test_todays_text_stays_letter_by_letter() -> None:
    body = f'{{"plan":{dump(plan(subtask(1), subtask(2, 1)))}}}'
    assert upcast_plans(body) is body and upcast_plans("{}") == "{}"
    facts, prose = split_prose(body)
    assert upcast_plans(join_prose(facts, prose)) == join_prose(facts, prose)


def test_every_typed_field_is_in_the_hash() -> None:
    """Whatever is not as by default; and what is as by default is, by its absence."""
    one = subtask(1)
    base = plan(one)
    others: dict[str, Any] = {
        "number": 2, "title": "x", "why": "x", "kind": WorkKind.REFACTOR, "changes_tests": True, "role": "x",
        "project": "x", "files": ("x",), "hours": 3.0, "review_minutes": 3, "size": SubtaskSize.LARGE,
        "confidence": "low", "test": "x", "needs": subtask(2, 1).needs, "decides": True, "phase": 2, "tags": ("x",),
        "assumed": ("kind",), "opening": True, "closing": True,
    }  # fmt: skip
    assert set(others) == set(type(one).__dataclass_fields__), "each field has a case"
    hashes = [base.hash, *(plan(replace(one, **{name: value})).hash for name, value in others.items())]
    wider: dict[str, Any] = {
        "goal": "x", "subtasks": (one, one), "phases": (PlanPhase(number=1, title="x"),),
        "assumptions": (Assumption(what="x"),), "issues": (PlanIssue(what="x"),), "summary": "x", "read": ("x",),
        "into": "x", "risks": (plans_v1.Risk(what="x", mitigation="x"),), "version": 3, "feature": "x",
    }  # fmt: skip
    assert set(wider) == set(Decomposition.__dataclass_fields__)
    hashes += [replace(base, **{name: value}).hash for name, value in wider.items()]
    assert len(set(hashes)) == len(hashes)


def test_a_hash_does_not_depend_on_how_a_number_was_written() -> None:
    whole = plan(replace(subtask(1), hours=2))
    assert shape(Decomposition).validate_json(dump(whole)).hash == whole.hash
