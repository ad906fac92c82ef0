"""The fake provider is as strict as the original, and litellm can do with it all that it does there."""

from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest

from tests.fakes.model_server import KEY, LARGE, ModelServer, Says
from tests.llm.rig import LOADED

USER = {"role": "user", "content": "well?"}
TOOL = {"type": "function", "function": {"name": "look", "parameters": {"type": "object"}}}
CALL = {"id": "c1", "type": "function", "function": {"name": "look", "arguments": "{}"}}


@pytest.fixture
async def server() -> AsyncIterator[ModelServer]:
    async with ModelServer() as made:
        made.answers("any", Says(text='{"ok": true}'))
        yield made


async def post(server: ModelServer, body: dict[str, Any], key: str = KEY) -> httpx.Response:
    async with httpx.AsyncClient(trust_env=False) as client:
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        return await client.post(f"{server.url}/chat/completions", json=body, headers=headers)


REFUSED = [
    ({"model": LARGE, "messages": [USER], "max_output": 3}, 400, "Unrecognized request argument"),
    ({"model": LARGE, "messages": []}, 400, "messages"),
    ({"model": LARGE}, 400, "messages"),
    ({"model": "gpt-9", "messages": [USER]}, 404, "does not exist"),
    ({"model": LARGE, "messages": [{"role": "bot", "content": "x"}]}, 400, "messages"),
    ({"model": LARGE, "messages": [{"role": "user", "content": 7}]}, 400, "content"),
    ({"model": LARGE, "messages": [{"role": "user", "content": []}]}, 400, "content"),
    ({"model": LARGE, "messages": [{"role": "user", "content": "x", "cost": 1}]}, 400, "Unrecognized"),
    ({"model": LARGE, "messages": [USER, {"role": "assistant", "content": None}]}, 400, "content"),
    ({"model": LARGE, "messages": [{"role": "tool", "content": "x", "tool_call_id": "c1"}]}, 400, "preceding message"),
    ({"model": LARGE, "messages": [{"role": "assistant", "tool_calls": [CALL]}, USER]}, 400, "must be followed"),
    ({"model": LARGE, "messages": [USER], "temperature": 3}, 400, "temperature"),
    ({"model": LARGE, "messages": [USER], "temperature": "1"}, 400, "temperature"),
    ({"model": LARGE, "messages": [USER], "max_tokens": 0}, 400, "max_tokens"),
    ({"model": LARGE, "messages": [USER], "max_tokens": 5, "max_completion_tokens": 5}, 400, "both"),
    ({"model": LARGE, "messages": [USER], "response_format": {"type": "json_object"}}, 400, "the word 'json'"),
    ({"model": LARGE, "messages": [USER], "response_format": {"type": "json_schema"}}, 400, "json_schema"),
    ({"model": LARGE, "messages": [USER], "tool_choice": "auto"}, 400, "tool_choice"),
    ({"model": LARGE, "messages": [USER], "tools": [{"type": "function", "function": {"name": "a b"}}]}, 400, "name"),
    ({"model": LARGE, "messages": [USER], "stream_options": {"include_usage": True}}, 400, "stream"),
]


@pytest.mark.parametrize(("body", "status", "told"), REFUSED)
async def test_what_the_original_refuses_is_refused(
    server: ModelServer, body: dict[str, Any], status: int, told: str
) -> None:
    reply = await post(server, body)
    assert reply.status_code == status
    assert told in reply.json()["error"]["message"]
    assert server.statuses == {status: 1}


@pytest.mark.parametrize("key", ["", "sk-other"])
async def test_a_key_is_asked_for(server: ModelServer, key: str) -> None:
    assert (await post(server, {"model": LARGE, "messages": [USER]}, key)).status_code == 401


async def complete(server: ModelServer, route: str, **more: object) -> Any:
    await LOADED.warm()  # before the import: it says that nothing is to be fetched
    import litellm

    given = {"messages": [USER], "max_retries": 0, "num_retries": 0, "timeout": 10, **more}
    return await litellm.acompletion(model=f"{route}/{LARGE}", api_base=server.url, api_key=KEY, **given)


@pytest.mark.parametrize("route", ["openai", "hosted_vllm"])
async def test_tools_go_there_and_back(server: ModelServer, route: str) -> None:
    server.answers("any", Says(text=None, finish="tool_calls", calls=(("look", '{"at": "x"}'),)), Says(text="seen"))
    first = await complete(server, route, tools=[TOOL])
    call = first.choices[0].message.tool_calls[0]
    assert (call.function.name, call.function.arguments) == ("look", '{"at": "x"}')
    said = first.choices[0].message.model_dump(exclude_none=True, include={"role", "content", "tool_calls"})
    said["tool_calls"] = [{k: v for k, v in c.items() if k in ("id", "type", "function")} for c in said["tool_calls"]]
    result = {"role": "tool", "tool_call_id": call.id, "content": "an x"}
    second = await complete(server, route, tools=[TOOL], messages=[USER, said, result])
    assert second.choices[0].message.content == "seen"


@pytest.mark.parametrize("route", ["openai", "hosted_vllm"])
async def test_a_stream_arrives_in_pieces_with_its_usage(server: ModelServer, route: str) -> None:
    text = "one two three four five six seven"
    server.answers("any", Says(text=text))
    chunks = [c async for c in await complete(server, route, stream=True, stream_options={"include_usage": True})]
    assert "".join(c.choices[0].delta.content or "" for c in chunks if c.choices) == text
    assert len(chunks) > 3
    assert any(getattr(chunk, "usage", None) for chunk in chunks)


async def test_a_beginning_that_was_sent_before_is_kept(server: ModelServer) -> None:
    long = {"role": "user", "content": "the same old story " * 500}
    counted = []
    for end in ("one", "two"):
        body = {"model": LARGE, "messages": [long, {"role": "user", "content": end}]}
        counted.append((await post(server, body)).json()["usage"]["prompt_tokens_details"]["cached_tokens"])
    assert counted == [0, 2304]
