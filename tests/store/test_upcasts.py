"""Facts and decisions of earlier versions in today's shape, kind by kind; and words beside the facts they belong to."""

import hashlib
import json
from typing import Any

import pytest

from store.codec import has_prose, is_prose_of, join_prose, split_prose
from store.upcasts import upcast_decisions, upcast_event, upcast_workflow

YES = {"letter": "A", "value": "yes"}
HAND_IN = {"letter": "A", "value": "hand_in"}
ASKS = {"letter": "A", "value": "yes", "asks": "what?"}


def old(kind: str, subject: str, *options: dict[str, Any], **more: object) -> dict[str, Any]:
    return {"kind": kind, "subject": subject, "options": list(options or [YES]), "task": "T-1", **more}


def new(decision: dict[str, Any]) -> dict[str, Any]:
    return dict(json.loads(upcast_decisions(json.dumps(decision, separators=(",", ":")))))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (old("gate_high", "run:2:3:abc"),
         {"kind": "gate", "subject": {"subtask": 2, "attempt": 3, "commit": "abc", "risk": "high"}}),
        (old("merge", "abc"), {"kind": "merge", "subject": {"commit": "abc", "risk": "medium"}}),
        (old("merge_low", "abc"), {"kind": "merge", "subject": {"commit": "abc", "risk": "low"}}),
        (old("escalation", "", question="plan"), {"kind": "stuck", "subject": {"flow": "plan"}, "question": ""}),
        (old("escalation", ""), {"kind": "stuck", "subject": {"flow": ""}, "question": ""}),
        (old("escalation", "merge"), {"kind": "unmerged"}),
        (old("escalation", "run:1:2"), {"kind": "escalation", "subject": {"subtask": 1, "attempt": 2}}),
        (old("escalation", "run:1:2", YES, HAND_IN), {"kind": "taken", "subject": {"subtask": 1, "attempt": 2}}),
        (old("scope", "start:4"), {"kind": "start_scope", "subject": {"subtask": 4}}),
        (old("scope", "run:4:5"), {"kind": "scope", "subject": {"subtask": 4, "attempt": 5}}),
        (old("clarification", "the words"), {"kind": "change", "subject": {"words": "the words"}, "question": ""}),
        (old("clarification", "", question="which?"), {"kind": "clarification", "question": "which?"}),
        (old("clarification", "", question="I could not make a plan"), {"kind": "clarification"}),
        (old("clarification", "", ASKS, question="which?"), {"kind": "clarification", "question": "which?"}),
        (old("clarification", "", ASKS, question="I could not make a plan"), {"kind": "no_plan", "question": ""}),
        (old("question", "run:4:5"), {"kind": "question", "subject": {"subtask": 4, "attempt": 5}}),
        (old("plan", "hash", version=7), {"kind": "plan", "subject": {"hash": "hash", "version": 7}}),
        (old("debate", "hash"), {"kind": "debate", "subject": {"hash": "hash", "version": 0}}),
        (old("proposal", "P-1:shown"), {"kind": "proposal", "subject": {"proposal": "P-1", "shown": "shown"}}),
        (old("second", "entitled"), {"subject": {"entitled": True}}),
        (old("second", "other"), {"subject": {"entitled": False}}),
        (old("meant", "yes please", question="?"), {"subject": {"words": "yes please"}, "question": ""}),
        (old("budget", "task T-1:5.0", question="Limit $5 and $4.5 is spent"),
         {"subject": {"budget": "", "limit": 5.0, "spent": 4.5}, "question": ""}),
        (old("budget", "day: all:9"), {"subject": {"budget": "day: all", "limit": 9.0, "spent": 9.0}, "question": ""}),
        (old("budget", "task T-2:5"), {"subject": {"budget": "task T-2", "limit": 5.0, "spent": 5.0}, "question": ""}),
        (old("something", "else"), {"kind": "something"}),
    ],
)  # fmt: skip
def test_a_decision_of_an_earlier_version_is_read_as_todays(before: dict[str, Any], after: dict[str, Any]) -> None:
    made = new(before)
    assert {name: made.get(name) for name in after} == after
    assert "version" not in made and made["task"] == "T-1"
    assert ("subject" in made) is ("subject" in after)


def test_options_say_that_they_need_words_and_what_they_answer() -> None:
    assert new(old("question", "run:1:1", ASKS))["options"] == [{"letter": "A", "value": "yes", "needs_words": True}]
    empty = {**YES, "asks": ""}
    assert new(old("question", "run:1:1", empty))["options"] == [YES]
    choices = ({"value": "D-1.B"}, {"value": "remark"})
    first, remark = new(old("meant", "hm", *choices))["options"]
    assert first == {"value": "answer", "answers": {"decision": "D-1", "letter": "B"}} and remark == choices[1]
    assert new(old("question", "run:1:1", {"value": "D-1.B"}))["options"] == [{"value": "D-1.B"}]


def test_todays_decisions_stay_as_they_are_letter_by_letter() -> None:
    today = '{"kind":"merge", "subject":{"commit":"abc"},"options":[]}'
    assert (
        upcast_decisions(today) == today
        and upcast_decisions(f'{{"open":[{today}]}}', "open") == f'{{"open":[{today}]}}'
    )
    mixed = json.dumps({"open": [json.loads(today), old("merge", "abc")]}, separators=(",", ":"))
    first, second = json.loads(upcast_decisions(mixed, "open"))["open"]
    assert first == json.loads(today) and second["subject"] == {"commit": "abc", "risk": "medium"}


def test_only_what_stands_at_the_key_is_changed() -> None:
    fact = json.dumps({"decision": old("merge", "abc"), "at": 1}, separators=(",", ":"))
    assert json.loads(upcast_event("DecisionOpened", fact))["decision"]["subject"] == {
        "commit": "abc",
        "risk": "medium",
    }
    assert upcast_event("SomethingElse", fact) == fact
    none = '{"open":[],"said":{"subject":"x"}}'
    assert json.loads(upcast_decisions(none, "open")) == json.loads(none)


def test_a_request_whose_parts_lay_flat_is_gathered() -> None:
    flat = {"task": "T-1", "at": 3, "request": "add login", "by": "ana", "channel": "c"}
    made = json.loads(upcast_event("TaskRequested", json.dumps(flat)))
    assert made == {"task": "T-1", "at": 3, "request": {"text": "add login", "at": 3, "by": "ana", "channel": "c"}}
    today = json.dumps(made, indent=1)
    assert upcast_event("TaskRequested", today) == today


def six_steps() -> dict[str, Any]:
    steps = [
        {"name": name, "role": role, "next": "x", "max_retries": retries, "required": True}
        for name, role, retries in (
            ("plan", "planner", 1), ("plan_review", "", 2), ("implement", "developer", 3), ("test", "", 4),
            ("review", "critic", 5), ("commit", "", 6),
        )
    ]  # fmt: skip
    return {"name": "default", "steps": steps}


def test_a_workflow_of_six_steps_becomes_one_of_nine() -> None:
    fact = json.dumps({"workflow": six_steps()}, separators=(",", ":"))
    made = json.loads(upcast_event("PlanAccepted", fact))["workflow"]
    steps = {step["name"]: step for step in made["steps"]}
    assert (made["name"], made["require_tests"]) == ("default", True)
    assert [step["next"] for step in made["steps"]] == [*list(steps)[1:], ""] and len(steps) == 9
    assert {name: step["max_retries"] for name, step in steps.items()} == {**dict.fromkeys(steps, 3), "plan": 1}
    assert (steps["plan"]["roles"], steps["rules"]["roles"], steps["test"]["roles"]) == (["planner"], [], [])
    assert steps["plan"]["required"] is True and steps["rules"]["required"] is False
    assert not any("role" in step for step in steps.values())
    inside = json.dumps({"plan": {"workflow": six_steps()}}, separators=(",", ":"))
    assert json.loads(upcast_workflow(inside, "plan"))["plan"]["workflow"] == made
    today = json.dumps({"workflow": made}, separators=(",", ":"))
    assert upcast_event("PlanAccepted", today) == today and upcast_workflow("{}") == "{}"


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ('{"a":"b"}', []),
        ('{"a":"b c"}', ["b c"]),
        ('{"why":"b"}', ["b"]),
        ('{"why":""}', []),
        ('{"a":"~1"}', ["~1"]),
        ('{"why":["b","c"],"a":"d"}', ["b", "c"]),
        ('{"a b":"c","why":1}', []),
        ('{"a":"b \\"c\\" ä","n":"x"}', ['b "c" ä']),
    ],
)
def test_words_are_kept_apart_and_come_back(body: str, words: list[str]) -> None:
    rest, text = split_prose(body)
    assert (text is not None) is has_prose(rest) is bool(words)
    assert json.loads(join_prose(rest, text)) == json.loads(body)
    if text is None:
        assert rest == body
        return
    salt, *kept = json.loads(text)
    assert kept == words and len(salt) == 32 and split_prose(body)[1] != text, "the same words have another hash"
    assert all(json.dumps(word)[1:-1] not in rest for word in words if " " in word)
    with pytest.raises(ValueError, match="missing"):
        join_prose(rest, None)


def test_other_words_are_not_those_of_a_fact() -> None:
    rest, text = split_prose('{"why":"b"}')
    assert text is not None and hashlib.sha256(text.encode()).hexdigest() in rest
    assert is_prose_of(rest, text, removed=False) and not is_prose_of(rest, text + " ", removed=False)
    assert is_prose_of(rest, text + " ", removed=True), "of those with some removed nobody can say"
    assert not is_prose_of(rest, None, removed=False) and not is_prose_of(rest, None, removed=True)
    assert is_prose_of("{}", None, removed=False) and not is_prose_of("{}", text, removed=False)
