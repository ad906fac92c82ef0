"""Attack 28: no piece of an answer is longer than it may be, whatever a model says."""

from collections.abc import Iterator
from typing import Any

import pytest
from pydantic import BaseModel, ValidationError

from agents.flows.intake import IntentAnswer, ProjectAnswer
from agents.flows.plan_answer import PlanSays
from agents.flows.review_answers import CriticAnswer, CustodietAnswer, DebateAnswer, SpecialistAnswer

SHAPES: tuple[type[BaseModel], ...] = (
    *(PlanSays, CriticAnswer, CustodietAnswer, SpecialistAnswer),
    *(DebateAnswer, IntentAnswer, ProjectAnswer),
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
        answer = {"status": "COMPLETE", "subtasks": [{**subtask, "files": files}]}
        if fine:
            assert PlanSays.model_validate(answer).subtasks[0].files == tuple(files)
        else:
            with pytest.raises(ValidationError):
                PlanSays.model_validate(answer)
