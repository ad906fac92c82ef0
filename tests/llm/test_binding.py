"""What decoding is bound to on each wire, and that the schemas say what is wanted."""

import json
from typing import Any

import pytest
from pydantic import BaseModel

from agents.domain.models.routing import Model
from agents.flows.plan_answer import PlanSays
from agents.flows.review_answers import CriticAnswer, CustodietAnswer
from agents.flows.steps.reviews import ReviewAnswer
from agents.llm.answers import NONCE, read_answer
from agents.llm.binding.schemas import MOST_ITEMS, closed_schema, strict_schema
from agents.llm.gateway import Request
from bot.cli.manifest import ANSWERS
from tests.fakes.model_server import KEY, ModelServer, Says
from tests.fakes.wires import WIRES
from tests.fakes.wires.strict_schema import check_strict
from tests.llm.rig import LOADED
from tests.llm.test_wires import TOOL

TALK = ({"role": "system", "content": "answer in json"}, {"role": "user", "content": "well?"})
# How each wire is bound: by one of several closed shapes, by one strict object, or not at all.
BOUND = {
    "chat": "strict",
    "responses": "strict",
    "anthropic": "strict",
    "gemini": "strict",
    "ollama": "closed",
    "vllm": "closed",
    "llama.cpp": "closed",
    "openrouter": "none",
}


def shapes_of(shape: type[BaseModel]) -> dict[str, Any]:
    made = json.loads(closed_schema(shape, NONCE, "n1"))
    by: str = getattr(shape, "BY", "")
    return {part["properties"][by]["enum"][0]: part for part in made["anyOf"]}


@pytest.mark.parametrize("shape", ANSWERS.values(), ids=ANSWERS)
def test_every_strict_schema_is_one_that_openai_takes(shape: type[BaseModel]) -> None:
    check_strict({"name": "answer", "strict": True, "schema": json.loads(strict_schema(shape, NONCE))})
    assert strict_schema(shape, NONCE) is strict_schema(shape, NONCE), "the same for all questions"


def test_a_plan_has_at_least_one_subtask_or_it_is_a_question_or_a_reason() -> None:
    made = shapes_of(PlanSays)
    assert made["COMPLETE"]["properties"]["subtasks"]["minItems"] == 1
    assert made["NEEDS_REFINEMENT"]["required"] == [NONCE, "status", "question"]
    assert made["BLOCKED"]["properties"].keys() == {NONCE, "status", "reason"}
    assert made["BLOCKED"]["properties"]["reason"]["minLength"] == 1


@pytest.mark.parametrize(
    ("shape", "word", "needs"),
    [
        (CriticAnswer, "halt", "issues"),
        (CriticAnswer, "revise", "changes"),
        (CustodietAnswer, "block", "issue"),
        (CustodietAnswer, "warn", "issue"),
        (ReviewAnswer, "rejected", "issues"),
        (ReviewAnswer, "changes_requested", "issues"),
    ],
)
def test_a_stop_or_a_change_cannot_be_without_its_reason(shape: type[BaseModel], word: str, needs: str) -> None:
    part = shapes_of(shape)[word]
    assert needs in part["required"] and 1 in (
        part["properties"][needs].get(least) for least in ("minItems", "minLength")
    )


@pytest.mark.parametrize("shape", ANSWERS.values(), ids=ANSWERS)
def test_no_list_goes_on_and_on_and_each_object_is_closed(shape: type[BaseModel]) -> None:
    def walk(part: Any) -> None:
        if isinstance(part, list):
            for each in part:
                walk(each)
        if not isinstance(part, dict):
            return
        assert "$ref" not in part
        if part.get("type") == "array":
            assert part["maxItems"] <= MOST_ITEMS
        if part.get("type") == "object" and "anyOf" not in part:
            assert part["additionalProperties"] is False
        for each in part.values():
            walk(each)

    walk(json.loads(closed_schema(shape, NONCE, "n1")))


@pytest.mark.parametrize("wire", WIRES)
async def test_tools_that_are_not_to_be_called_are_taken_on_each_wire(wire: str) -> None:
    """They stand there so that a beginning is found again; what is said is an answer."""
    async with ModelServer(wire=wire, models=(WIRES[wire].model,)) as server:
        server.answers("any", Says(text=json.dumps({NONCE: "n1", "verdict": "ok"})))
        asked = Request(
            model=Model(name=server.named(), base_url=server.url, api_key=KEY),
            messages=TALK,
            timeout=30.0,
            tools=TOOL,
            may_call=False,
            schema=closed_schema(CustodietAnswer, NONCE, "n1"),
            strict=strict_schema(CustodietAnswer, NONCE),
        )
        reply = await LOADED.ask(asked)
        heard = server.seen[0].heard
    assert reply.fault is None and read_answer(reply.text, CustodietAnswer, "n1").verdict == "ok"
    assert heard is not None and heard.tools in (("look",), ())


@pytest.mark.parametrize("wire", WIRES)
async def test_each_wire_is_bound_as_it_can_be(wire: str) -> None:
    async with ModelServer(wire=wire, models=(WIRES[wire].model,)) as server:
        server.answers("any", Says(text=json.dumps({NONCE: "n1", "verdict": "block", "issue": "x", "principle": None})))
        asked = Request(
            model=Model(name=server.named(), base_url=server.url, api_key=KEY),
            messages=TALK,
            timeout=30.0,
            schema=closed_schema(CustodietAnswer, NONCE, "n1"),
            strict=strict_schema(CustodietAnswer, NONCE),
        )
        reply = await LOADED.ask(asked)
        heard = server.seen[0].heard
    assert heard is not None
    found = "none" if heard.schema is None else "closed" if "anyOf" in heard.schema else "strict"
    assert found == BOUND[wire], heard.schema
    assert read_answer(reply.text, CustodietAnswer, "n1").issue == "x", "null is nothing said"


async def test_a_turn_of_a_talk_is_bound_to_nothing() -> None:
    """A minion speaks in words and calls; a provider in JSON mode would refuse the request."""
    async with ModelServer(wire="chat", models=("gpt-4.1",)) as server:
        server.answers("any", Says(text="I look."))
        model = Model(name="openai/gpt-4.1", base_url=server.url, api_key=KEY)
        await LOADED.ask(
            Request(model=model, messages=({"role": "user", "content": "well?"},), timeout=30.0, tools=TOOL)
        )
        assert "response_format" not in server.seen[0].body
