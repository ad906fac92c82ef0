"""A talk with tools: the same path as a question, counted call by call, and a finished turn is never paid twice."""

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from agents.domain.errors import BudgetReached, NoAnswer, StaleLease
from agents.domain.limits import Limits
from agents.domain.models.failure import ErrorClass
from agents.domain.models.money import Budgets
from agents.llm.answers import marked_talk, said_of, text_of, tool_schemas
from agents.minions.engines.builtin.tools import TOOLS
from agents.ports import Converse, Said, Spent, ToolCall
from tests.fakes.model_server import LARGE, SMALL, Fails, Says, last_words, too_many
from tests.llm.rig import Rig, rigged, task

CALL = Says(calls=(("read_file", '{"path": "a.py"}'),), finish="tool_calls")
THOUGHT = b"""{"choices": [{"index": 0, "finish_reason": "stop", "message":
{"role": "assistant", "content": "", "reasoning_content": "hm"}}], "object": "chat.completion", "usage": {}}"""
MESSAGES: list[dict[str, Any]] = [
    {"role": "system", "content": "You are a minion."},
    {"role": "user", "content": "Do it. " * 2_000},
]


@pytest.fixture
async def rig(tmp_path: Path) -> AsyncIterator[Rig]:
    async with rigged(tmp_path) as made:
        made.server.answers("any", CALL)
        yield made


def turn(step: str = "T-1.1-1:1", **changes: Any) -> Converse:
    made = Converse(
        step=step, role="primary", task=task(), messages=MESSAGES, tools=tuple(TOOLS.values()), policy="aggressive"
    )
    return replace(made, **changes)


async def kept(rig: Rig, asked: Converse) -> tuple[Said, Spent]:
    said, keep = await rig.job().converse(asked)
    return said, await keep()


async def test_what_is_owed_is_written_before_the_model_is_asked_and_in_its_order(rig: Rig) -> None:
    happened: list[str] = []

    async def owe(what: str) -> None:
        await asyncio.sleep(0)
        happened.append(f"{what}, {rig.server.count()} asked")

    await rig.job().converse(turn(first=(partial(owe, "one"), partial(owe, "two"))))
    assert happened == ["one, 0 asked", "two, 0 asked"] and rig.server.count() == 1


async def test_nothing_is_asked_where_what_is_owed_cannot_be_written(rig: Rig) -> None:
    async def fails() -> None:
        raise StaleLease("T-1.1-1")

    with pytest.raises(StaleLease):
        await rig.job().converse(turn(first=(fails,)))
    assert rig.server.count() == 0


async def test_a_turn_that_nobody_kept_is_asked_for_again(rig: Rig) -> None:
    await rig.job().converse(turn())
    _, spent = await kept(rig, turn())
    assert rig.server.count() == 2 == spent.attempts


async def test_a_turn_comes_back_whole_with_its_calls(rig: Rig) -> None:
    rig.server.answers(
        "any", Says(text="Let me look.", calls=(("read_file", "{broken"), ("x" * 70, "")), finish="stop")
    )
    said, spent = await kept(rig, turn())
    assert said.text == "Let me look."
    assert [(call.name, call.arguments) for call in said.calls] == [("read_file", "{broken"), ("x" * 70, "")]
    assert (spent.attempts, spent.model) == (1, f"hosted_vllm/{LARGE}") and spent.tokens_in > 1_000


async def test_a_call_that_stands_in_its_text_is_one(rig: Rig) -> None:
    """Some servers do not know how their model writes calls."""
    written = '<tool_call>\n{"name": "read_file", "arguments": {"path": "a.py"}}\n</tool_call>'
    rig.server.answers("any", Says(text=f"Let me look.\n{written}"))
    said, spent = await kept(rig, turn())
    assert (said.text, [(call.name, call.arguments) for call in said.calls], spent.attempts) == (
        "Let me look.",
        [("read_file", '{"path": "a.py"}')],
        1,
    )
    rig.server.answers("any", Says(text=f"It says {written}, which I leave."))
    said, _ = await kept(rig, turn("T-1.1-1:2"))
    assert not said.calls


async def test_a_refusal_is_told_in_its_own_words(rig: Rig) -> None:
    rig.server.answers("any", Says(text=None, refusal="I cannot help with that."))
    said, _ = await kept(rig, turn())
    assert said.text == "I cannot help with that." and not said.calls


async def test_the_tools_go_out_as_functions_with_their_schemas(rig: Rig) -> None:
    await rig.job().converse(turn())
    body = rig.server.seen[0].body
    tools = {tool["function"]["name"]: tool["function"] for tool in body["tools"]}
    assert list(tools) == [tool.name for tool in tuple(TOOLS.values())] and len(tools) == 15
    assert tools["read_file"]["parameters"]["required"] == ["path"]
    assert tools["list_skills"]["parameters"]["properties"] == {}
    assert all(tool["description"] for tool in tools.values())
    assert "response_format" not in body
    made = [schema["function"] for schema in json.loads(tool_schemas(tuple(TOOLS.values())))]
    assert all(each["parameters"]["additionalProperties"] is False for each in made)


@pytest.mark.parametrize("route", ["hosted_vllm", "openai"])
async def test_messages_go_out_as_they_are_and_none_is_touched(rig: Rig, route: str) -> None:
    rig.route = route
    history = [
        *MESSAGES,
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "read_file", "arguments": "{}"}}],
        },
        {"role": "tool", "tool_call_id": "c1", "content": "a = 1"},
    ]
    before = json.dumps(history)
    await rig.job().converse(turn(messages=history))
    assert json.dumps(history) == before
    sent = rig.server.seen[0].body["messages"]
    assert [message.get("content") for message in sent] == [message["content"] for message in history]
    assert sent[2]["tool_calls"] == history[2]["tool_calls"]


async def test_a_finished_turn_is_never_paid_twice(rig: Rig) -> None:
    """P5: after a crash the same job asks the same step again, whatever was appended meanwhile."""
    first, paid = await kept(rig, turn())
    again, spent = await kept(rig, turn(messages=[*MESSAGES, {"role": "user", "content": "The bot died."}]))
    assert again == replace(first, again=True) and spent == paid
    assert rig.server.count() == 1
    await rig.job().converse(turn("T-1.1-1:2"))
    await rig.job("job-2").converse(turn())
    assert rig.server.count() == 3


@pytest.mark.parametrize(
    ("answer", "what"),
    [
        (Says(text="I was about to", finish="length"), "cut off in the middle"),
        (replace(CALL, finish="length"), "cut off in the middle"),
        (Says(text=""), "empty"),
        (Says(raw=THOUGHT), "only thought"),
        (replace(CALL, choices=2), "2 choices"),
    ],
)
async def test_half_a_turn_is_none_and_is_asked_for_again_with_what_is_wrong(rig: Rig, answer: Says, what: str) -> None:
    """P17."""
    rig.server.answers("any", answer, CALL)
    said, spent = await kept(rig, turn())
    assert said.calls and spent.attempts == 2 == rig.server.count()
    assert what in last_words(rig.server.seen[1]) and "tool calls" in last_words(rig.server.seen[1])
    first, second = (seen.body["messages"] for seen in rig.server.seen)
    assert second[: len(first)] == first and len(second) == len(first) + 2


async def test_failures_are_counted_to_the_call(rig: Rig) -> None:
    """P18: five tries of the policy under the ceiling of the limits."""
    rig.server.answers("any", Fails(status=503))
    with pytest.raises(NoAnswer, match="asked 4 times and") as failed:
        await rig.job().converse(turn())
    assert rig.server.count() == 4 and failed.value.error == ErrorClass.NETWORK
    rig.server.answers("any", Fails(status=401))
    with pytest.raises(NoAnswer):
        await rig.job("other").converse(turn())
    assert rig.server.count() == 5


async def test_waiting_as_long_as_the_provider_says_then_it_goes_on(rig: Rig) -> None:
    rig.server.answers("any", too_many("2"), CALL)
    said, spent = await kept(rig, turn())
    assert said.calls and spent.attempts == 2


async def test_another_model_answers_where_the_first_does_not(rig: Rig) -> None:
    rig.models = (LARGE, SMALL)
    rig.server.answers("any", lambda seen: Fails(status=500) if seen.model == LARGE else CALL)
    _, spent = await kept(rig, turn())
    assert spent.model.endswith(SMALL) and spent.degraded


async def test_a_silent_model_is_left_at_the_deadline(rig: Rig) -> None:
    rig.limits = Limits(model_step=20, step_retries=0)
    rig.server.answers("any", replace(CALL, wait=30))
    with pytest.raises(NoAnswer, match=r"Timeout|in time"):
        await rig.job().converse(turn())


async def test_the_budget_is_checked_before_the_call_and_grows_with_the_talk(rig: Rig) -> None:
    """P18: what a call may cost is reserved first; litellm's price list knows gpt-4o."""
    rig.route, rig.models, rig.server.models = "openai", ("gpt-4o",), ("gpt-4o",)
    rig.budgets = Budgets(task=0.20)
    await kept(rig, turn())
    long = [*MESSAGES, {"role": "user", "content": "x" * 600_000}]
    with pytest.raises(BudgetReached):
        await rig.job().converse(turn("T-1.1-1:2", messages=long))
    assert rig.server.count() == 1
    await rig.job().converse(turn("T-1.1-1:2"))
    assert rig.server.count() == 2


async def test_the_provider_finds_the_beginning_it_knows(rig: Rig) -> None:
    await rig.job().converse(turn())
    longer = [*MESSAGES, {"role": "assistant", "content": "One."}, {"role": "user", "content": "Go on."}]
    _, spent = await kept(rig, turn("T-1.1-1:2", messages=longer))
    assert spent.cached_tokens > 0.9 * spent.tokens_in


def test_for_anthropic_the_beginning_and_the_end_are_marked_and_nothing_is_copied_deeply() -> None:
    tool = {"role": "tool", "tool_call_id": "c1", "content": "out"}
    middle = {"role": "assistant", "content": None, "tool_calls": [{"id": "c1"}]}
    history = [*MESSAGES, middle, tool]
    made = marked_talk(history)
    assert made[0]["content"] == [{"type": "text", "text": "You are a minion.", "cache_control": {"type": "ephemeral"}}]
    assert made[2] is middle
    assert made[3] == {**tool, "cache_control": {"type": "ephemeral"}} and tool == history[3]
    assert sum("cache_control" in str(message) for message in made) == 3


def test_a_turn_is_kept_and_read_back_letter_by_letter() -> None:
    said = Said(text="é \ud800 \x00", calls=(ToolCall(id="a", name="b", arguments='{"x": "ü"}'),))
    assert said_of(text_of(said)) == replace(said, again=True)
    assert text_of(said).isascii()
