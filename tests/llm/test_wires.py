"""Every wire with the real litellm: answers, tools, streams, thinking, what is kept, usage, errors and limits."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest

from agents.domain.models.failure import ErrorClass
from agents.domain.models.routing import Model
from agents.llm.answers import CACHE_MARK
from agents.llm.gateway import CallFailed, Request
from agents.llm.replies import Reply
from tests.fakes.model_server import KEY, LARGE, Answer, Fails, ModelServer, Says
from tests.fakes.wires import WIRES
from tests.llm.rig import LOADED

RULES = {"role": "system", "content": "answer in json"}
WELL = {"role": "user", "content": "well?"}
TAKES = {"type": "object", "properties": {"at": {"type": "string"}}, "required": ["at"], "additionalProperties": False}
TOOL = json.dumps([{"type": "function", "function": {"name": "look", "description": "looks", "parameters": TAKES}}])
LOOK = ("look", '{"at": "x"}')


@pytest.fixture(params=list(WIRES))
async def server(request: pytest.FixtureRequest) -> AsyncIterator[ModelServer]:
    async with ModelServer(wire=request.param, models=(WIRES[request.param].model,)) as made:
        made.answers("any", Says(text='{"ok": true}'))
        yield made


def model(server: ModelServer, key: str = KEY) -> Model:
    return Model(name=server.named(), base_url=server.url, api_key=key)


async def ask(server: ModelServer, *messages: dict[str, Any], tools: str = "", key: str = KEY) -> Reply:
    request = Request(model=model(server, key), messages=messages or (RULES, WELL), timeout=30.0, tools=tools)
    return await LOADED.ask(request)


def turn(reply: Reply) -> dict[str, Any]:
    calls = [
        {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
        for call in reply.calls
    ]
    return {"role": "assistant", "content": reply.text or None, "tool_calls": calls}


async def test_an_answer_comes_back_with_what_it_took(server: ModelServer) -> None:
    reply = await ask(server)
    assert (reply.text, reply.fault, reply.tokens_out) == ('{"ok": true}', None, 3)
    assert reply.tokens_in == server.seen[0].tokens
    assert [message["role"] for message in server.seen[0].talk] == ["system", "user"]


async def test_tools_go_there_and_back(server: ModelServer) -> None:
    server.answers("any", Says(text="I look.", calls=(LOOK, LOOK), finish="tool_calls"), Says(text="seen"))
    first = await ask(server, RULES, WELL, tools=TOOL)
    assert [(call.name, call.arguments) for call in first.calls] == [("look", '{"at": "x"}')] * 2
    assert len({call.id for call in first.calls}) == 2
    told = [{"role": "tool", "tool_call_id": call.id, "content": f"an x: {at}"} for at, call in enumerate(first.calls)]
    second = await ask(server, RULES, WELL, turn(first), *told, tools=TOOL)
    assert second.text == "seen"
    roles = [message["role"] for message in server.seen[1].talk]
    assert roles == ["system", "user", "assistant", "tool", "tool"]
    assert [message["content"] for message in server.seen[1].talk if message["role"] == "tool"] == [
        "an x: 0",
        "an x: 1",
    ]


async def test_what_it_thought_is_no_part_of_the_answer_and_costs(server: ModelServer) -> None:
    server.answers("any", Says(text='{"ok": true}', thinks="hmm, what could that be? " * 8))
    reply = await ask(server)
    assert (reply.text, reply.fault) == ('{"ok": true}', None)
    heard = server.seen[0].heard
    shown = heard is not None and (heard.thinks or server.wire.provider != "anthropic")
    assert (reply.tokens_out > 40) == shown


async def test_a_stream_arrives_in_pieces(server: ModelServer) -> None:
    """On a loop of its own: after a stream litellm looks Ollama's model up without giving way to anybody."""
    text = "one two three four five six seven"
    server.answers("any", Says(text=text))
    await LOADED.warm()
    pieces = await asyncio.wait_for(asyncio.to_thread(asyncio.run, _stream(server)), 60)
    assert "".join(pieces) == text
    assert len(pieces) > 3


async def _stream(server: ModelServer) -> list[str]:
    import litellm

    stream = await litellm.acompletion(
        model=server.named(),
        api_base=server.url,
        api_key=KEY,
        stream=True,
        stream_options={"include_usage": True},
        messages=[RULES, WELL],
        max_retries=0,
        num_retries=0,
        timeout=10,
    )
    return [chunk.choices[0].delta.content or "" async for chunk in stream if chunk.choices]


async def test_a_beginning_that_was_sent_before_is_kept(server: ModelServer) -> None:
    """Where a provider keeps only what is marked, it is marked."""
    marked = LOADED.marks_for_cache(model(server))
    rules = "the same old story in json " * 400
    kept = [{"type": "text", "text": rules, **CACHE_MARK}] if marked else rules
    replies = [await ask(server, {"role": "system", "content": kept}, {"role": "user", "content": end}) for end in "ab"]
    keeps = server.wire.provider != "ollama_chat"  # it does, but does not say so
    assert [reply.cached_tokens > 2000 for reply in replies] == [False, keeps]
    assert all(reply.tokens_in == seen.tokens for reply, seen in zip(replies, server.seen, strict=True))


FAILURES: list[tuple[Answer, ErrorClass]] = [
    (Fails(status=400, message="bad"), ErrorClass.RESOURCE),
    (Fails(status=403, message="not for you"), ErrorClass.RESOURCE),
    (Fails(status=429, message="Rate limit reached"), ErrorClass.NETWORK),
    (Fails(status=500), ErrorClass.NETWORK),
    (Fails(status=503, message="overloaded"), ErrorClass.NETWORK),
    (Fails(status=529, message="Overloaded"), ErrorClass.NETWORK),
    (Fails(status=500, reset=True), ErrorClass.NETWORK),
    (Says(text="{}", cut=True), ErrorClass.NETWORK),
]


@pytest.mark.parametrize(("answer", "wanted"), FAILURES)
async def test_a_failure_is_classed(server: ModelServer, answer: Answer, wanted: ErrorClass) -> None:
    server.answers("any", answer)
    with pytest.raises(CallFailed) as failed:
        await ask(server)
    assert failed.value.failure.error is wanted, failed.value.failure
    assert server.count() == 1, "no layer but ours tries again"


async def test_a_wrong_key_is_told(server: ModelServer) -> None:
    if server.wire.provider == "ollama_chat":
        assert (await ask(server, key="")).fault is None, "it asks for none"
        return
    with pytest.raises(CallFailed) as failed:
        await ask(server, key="sk-proj-verysecretverysecret")
    assert failed.value.failure.error is ErrorClass.RESOURCE
    assert "verysecret" not in failed.value.failure.message


async def test_an_unknown_model_is_told(server: ModelServer) -> None:
    nobody = Model(name=server.named("nobody"), base_url=server.url, api_key=KEY)
    with pytest.raises(CallFailed) as failed:
        await LOADED.ask(Request(model=nobody, messages=[RULES, WELL], timeout=30.0))
    assert failed.value.failure.error is ErrorClass.RESOURCE
    assert "nobody" in failed.value.failure.message


async def test_an_answer_that_is_cut_off_says_so(server: ModelServer) -> None:
    server.answers("any", Says(text="{", finish="length"))
    reply = await ask(server)
    assert reply.fault is not None and reply.fault.cut_off


# What the originals refuse, in their own words; one that comes easily to somebody who knows another wire.
STRICT: list[tuple[str, dict[str, Any], str]] = [
    ("responses", {"model": LARGE, "input": "x", "max_tokens": 5}, "Unknown parameter: 'max_tokens'"),
    (
        "responses",
        {"model": LARGE, "input": [{"type": "function_call_output", "call_id": "c", "output": "x"}]},
        "No tool",
    ),
    ("anthropic", {"model": LARGE, "messages": [WELL]}, "max_tokens: Field required"),
    ("anthropic", {"model": LARGE, "max_tokens": 5, "messages": [RULES]}, "messages.0.role"),
    ("anthropic", {"model": LARGE, "max_tokens": 5, "messages": [WELL], "response_format": {}}, "Extra inputs"),
    ("gemini", {"messages": [WELL]}, "Invalid JSON payload"),
    ("gemini", {"contents": [{"parts": [{"text": "x"}]}], "generationConfig": {"maxTokens": 3}}, "Cannot find field"),
    (
        "gemini",
        {
            "contents": [{"parts": [{"text": "x"}]}],
            "generationConfig": {
                "responseMimeType": "application/json",
                "responseSchema": {"type": "object", "properties": {"a": {"const": "b"}}},
            },
        },
        "const",
    ),
    ("ollama", {"model": "nobody", "messages": [WELL]}, "not found"),
    (
        "ollama",
        {"model": LARGE, "messages": [{"role": "user", "content": [{"type": "text", "text": "x"}]}]},
        "unmarshal",
    ),
    ("vllm", {"model": LARGE}, "messages"),
    ("llama.cpp", {"model": LARGE, "messages": [WELL], "response_format": {"type": "json_schema"}}, "json_schema"),
]


@pytest.mark.parametrize(("wire", "body", "told"), STRICT)
async def test_what_the_original_refuses_is_refused(wire: str, body: dict[str, Any], told: str) -> None:
    async with ModelServer(wire=wire) as server, httpx.AsyncClient(trust_env=False) as client:
        path = server.wire.posts[0].replace("{model}", LARGE)
        keys = {"Authorization": f"Bearer {KEY}", "x-api-key": KEY, "x-goog-api-key": KEY, "anthropic-version": "1"}
        root = server.url.removesuffix(server.wire.base) if server.wire.base else server.url
        reply = await client.post(f"{root}{path}", json=body, headers=keys)
    assert reply.status_code in (400, 404) and told in reply.text


async def test_an_id_that_carries_what_was_thought_goes_back_whole() -> None:
    """litellm puts Gemini's signature into the id of the call; a Gemini that misses it refuses the talk."""
    async with ModelServer(wire="gemini", models=("gemini-pro-latest",), thinking="hmm") as server:
        server.answers("any", Says(calls=(LOOK,), finish="tool_calls"), Says(text="seen"))
        first = await ask(server, RULES, WELL, tools=TOOL)
        assert len(first.calls[0].id) > 64
        told = {"role": "tool", "tool_call_id": first.calls[0].id, "content": "an x"}
        assert (await ask(server, RULES, WELL, turn(first), told, tools=TOOL)).text == "seen"
        with pytest.raises(CallFailed, match="Corrupted thought signature"):
            cut = {**turn(first), "tool_calls": [{**turn(first)["tool_calls"][0], "id": first.calls[0].id[:64]}]}
            await ask(server, RULES, WELL, cut, {**told, "tool_call_id": first.calls[0].id[:64]}, tools=TOOL)
