"""Attack 28: no piece of an answer is longer than it may be, whatever a model says."""

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from pydantic import BaseModel

from agents.domain.asking.remarks import Understood
from agents.domain.planning.decomposition import Decomposition, PlanPhase, Risk, Subtask, with_closing
from agents.domain.planning.work_kind import WorkKind
from agents.domain.task.decide import Guess
from agents.flows.intake import WishAnswer
from agents.flows.plan_answer import PlanSays
from agents.flows.review_answers import CriticAnswer, CustodietAnswer, DebateAnswer, SpecialistAnswer
from agents.flows.steps.reviews import ReviewAnswer
from agents.llm.answers import NONCE, BadAnswer, read_answer
from bot.cli.manifest import ANSWERS
from store.codec import dump, shape

SHAPES: tuple[type[BaseModel], ...] = (
    *(PlanSays, CriticAnswer, CustodietAnswer, SpecialistAnswer),
    *(DebateAnswer, Understood, Guess, ReviewAnswer, WishAnswer),
)


def unbounded(schema: Any, where: str = "") -> Iterator[str]:
    """Texts and lists of a JSON schema that may be of any length."""
    if isinstance(schema, list):
        for at, part in enumerate(schema):
            yield from unbounded(part, f"{where}[{at}]")
    elif isinstance(schema, dict):
        if schema.get("type") == "string" and not {"maxLength", "enum", "const"} & schema.keys():
            yield where
        if schema.get("type") == "array" and "maxItems" not in schema:
            yield where
        for name, part in schema.items():
            yield from unbounded(part, f"{where}.{name}")


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.__name__)
def test_every_text_and_every_list_has_a_longest(shape: type[BaseModel]) -> None:
    assert list(unbounded(shape.model_json_schema())) == []


def test_a_name_of_thirty_thousand_letters_is_refused() -> None:
    subtask = {"title": "a", "why": "b", "hours": 1, "review_minutes": 5, "confidence": "high"}
    for files, fine in ((["a" * 250], True), (["a" * 30_000], False)):
        answer = json.dumps({NONCE: "n", "status": "COMPLETE", "subtasks": [{**subtask, "files": files}]})
        if fine:
            assert read_answer(answer, PlanSays, "n").subtasks[0].files == tuple(files)
        else:
            with pytest.raises(BadAnswer, match="at most 250 characters"):
                read_answer(answer, PlanSays, "n")


@pytest.mark.parametrize("cited", [{"id": "A1"}, {"id": "A1", "title": "A1"}, 1, None, "A" * 251])
def test_a_citation_in_an_answer_is_a_short_text_which_code_looks_up(cited: object) -> None:
    said = {NONCE: "n", "verdict": "revise", "issues": [{"what": "a", "principle": cited}]}
    [issue] = read_answer(json.dumps(said), CriticAnswer, "n").issues
    assert not issue.principle.id and len(issue.principle.title) <= 250


def test_a_stored_plan_is_held_to_no_bound_of_answers() -> None:
    """Code makes longer titles than a planner may, and earlier versions had other bounds."""
    long = with_closing(a_plan_whose_goal_is("g" * 290))
    long = replace(long, risks=(Risk(what="r" * 5000, mitigation="m"),), phases=(PlanPhase(number=99),))
    assert shape(Decomposition).validate_json(dump(long)) == long


def a_plan_whose_goal_is(goal: str) -> Decomposition:
    subtask = Subtask(number=1, title="t" * 900, why="w" * 900, kind=WorkKind.FIX, files=("f",) * 90)
    return Decomposition(goal=goal, subtasks=(subtask,))


def full(schema: Any, parts: Any) -> Any:
    """An answer that leaves nothing out."""
    match schema:
        case {"$ref": ref}:
            return full(parts[ref.rpartition("/")[2]], parts)
        case {"anyOf": ways}:
            return full(next(way for way in ways if way.get("type") != "null"), parts)
        case {"const": value} | {"enum": [value, *_]}:
            return value
        case {"properties": fields}:
            return {name: full(part, parts) for name, part in fields.items()}
        case {"type": "array", "items": item}:
            return [full(item, parts)]
    return {"integer": 1, "number": 0.5, "boolean": True}.get(schema["type"], "words")


@pytest.mark.parametrize("said", ANSWERS.values(), ids=ANSWERS)
def test_a_paid_answer_is_read_again_as_it_was(said: type[BaseModel]) -> None:
    schema = said.model_json_schema()
    answer = said.model_validate(full(schema, schema.get("$defs", {})))
    assert said.model_validate_json(answer.model_dump_json()) == answer
