"""What models call our fields, and what they write where there is nothing to write."""

import json
from typing import Any

import pytest
from pydantic import BaseModel

from agents.domain.asking.meaning import RouteAnswer
from agents.domain.asking.remarks import Understood
from agents.flows.plan_answer import PlanSays
from agents.flows.review_answers import CriticAnswer, CustodietAnswer
from agents.flows.steps.reviews import ReviewAnswer
from agents.llm.answers import NONCE, read_answer

TAG = "4f1d2c3b4a596877"
TAGGED = {NONCE: TAG}

SAID: dict[str, tuple[type[BaseModel], dict[str, Any], dict[str, Any]]] = {
    "praise": (ReviewAnswer, {"status": "LGTM!"}, {"status": "approved"}),
    "an article": (RouteAnswer, {"route": "a change request", "confidence": 1}, {"route": "change"}),
    "yes and no": (CustodietAnswer, {"verdict": "ok", "asks_for_change": "No."}, {"asks_for_change": False}),
    "false for a list": (ReviewAnswer, {"status": "approved", "issues": False}, {"issues": []}),
    "a sentence that says nothing": (
        ReviewAnswer,
        {"status": "approved", "security_concerns": "No security issues were found in this change."},
        {"security_concerns": []},
    ),
    "nothing that is a finding": (
        ReviewAnswer,
        {"status": "rejected", "issues": ["No changes in the tests", "No tests", "None of the cases is tested"]},
        {"issues": ["No changes in the tests", "No tests", "None of the cases is tested"]},
    ),
    "advice that cannot be read": (
        ReviewAnswer,
        {"status": "approved", "systemic": [{"kind": "other", "what": "x"}]},
        {"status": "approved", "systemic": []},
    ),
    "a number of a subtask that is none": (
        CriticAnswer,
        {"verdict": "revise", "issues": [{"what": "x", "subtask": "all of them"}]},
        {"verdict": "revise"},
    ),
    "sure in words": (RouteAnswer, {"route": "change", "confidence": "high"}, {"confidence": 0.85}),
    "unsure in words": (RouteAnswer, {"route": "change", "confidence": "Low"}, {"confidence": 0.2}),
    "of a hundred": (RouteAnswer, {"route": "change", "confidence": 95}, {"confidence": 0.95}),
    "of ten is too little": (RouteAnswer, {"route": "change", "confidence": 9}, {"confidence": 0.09}),
    "a command in other words": (RouteAnswer, {"route": "steer", "confidence": 1, "act": "pause"}, {"act": "stop"}),
    "an intent in other words": (Understood, {"intent": "small talk", "confidence": 1}, {"intent": "other"}),
}


@pytest.mark.parametrize(("shape", "said", "wanted"), SAID.values(), ids=SAID)
def test_what_is_plainly_meant_is_understood(
    shape: type[BaseModel], said: dict[str, Any], wanted: dict[str, Any]
) -> None:
    made = read_answer(json.dumps({**TAGGED, **said}), shape, TAG).model_dump(mode="json")
    assert {name: made[name] for name in wanted} == wanted


FIELDS: dict[str, tuple[dict[str, Any], str, object]] = {
    "hours that are a range": ({"hours": "2-3"}, "hours", None),
    "needs under another name": ({"depends_on": [2]}, "needs", [(2, "blocks")]),
    "files under another name": ({"files_to_change": ["a.py"]}, "files", ("a.py",)),
    "a test as an object": ({"test": {"command": "pytest", "shows": "it"}}, "test", "command: pytest; shows: it"),
}


@pytest.mark.parametrize(("said", "field", "wanted"), FIELDS.values(), ids=FIELDS)
def test_a_subtask_is_read_under_other_names(said: dict[str, Any], field: str, wanted: object) -> None:
    steps = [{"title": "Show a form", "why": "people log in", **said}, {"title": "Log", "why": "who came"}]
    plan = {**TAGGED, "status": "complete", "goal": "g", "subtasks": steps}
    found = getattr(read_answer(json.dumps(plan), PlanSays, TAG).subtasks[0], field)
    assert ([(need.number, need.edge.value) for need in found] if field == "needs" else found) == wanted


def test_a_plan_whose_fields_have_other_names_is_understood() -> None:
    steps = [{"name": "Show a form", "description": "people log in", "paths": ["a.py"]}]
    said = {**TAGGED, "status": "complete", "objective": "g", "steps": steps, "risks": ["it may be slow"]}
    made = read_answer(json.dumps(said), PlanSays, TAG)
    assert (made.goal, made.subtasks[0].title, made.subtasks[0].why) == ("g", "Show a form", "people log in")
    assert made.subtasks[0].files == ("a.py",) and [str(risk) for risk in made.risks] == ["it may be slow"]
