"""What is passed on, and what would let a provider reach somewhere else for the program."""

import json
from typing import Any

import pytest

from agents.llm.relay.wires import AnthropicMessages, GeminiContent, OpenAiResponses, Refused, Wire, parse, token_in

CLAUDE, CODEX, GEMINI = AnthropicMessages(), OpenAiResponses(), GeminiContent()
STREAM = "/v1beta/models/gemini-x:streamGenerateContent"
PLACES: tuple[tuple[Wire, str], ...] = (
    (CLAUDE, "/v1/messages"),
    (CODEX, "/v1/responses"),
    (CODEX, "/v1/chat/completions"),
    (GEMINI, STREAM),
)


def wanted(wire: Wire, path: str, body: dict[str, Any]) -> Any:
    found = wire.read(path, body)
    assert found is not None
    return found


def test_tools_that_the_provider_runs_are_left_out() -> None:
    own = {"name": "Bash", "input_schema": {}}
    tools = [own, {"type": "web_search_20250305", "name": "web_search"}, {"type": "web_fetch_20250910", "name": "f"}]
    sent = wanted(CLAUDE, "/v1/messages", {"model": "m", "messages": [], "tools": tools, "mcp_servers": [{}]}).body
    assert sent["tools"] == [own] and "mcp_servers" not in sent
    function = {"type": "function", "name": "exec_command"}
    tools = [function, {"type": "web_search"}, {"type": "mcp", "server_url": "https://x"}, {"type": "code_interpreter"}]
    assert wanted(CODEX, "/v1/responses", {"model": "m", "input": [], "tools": tools}).body["tools"] == [function]
    group = {"type": "namespace", "name": "overlord", "tools": [function, {"type": "web_search"}]}
    sent = wanted(CODEX, "/v1/responses", {"model": "m", "input": [], "tools": [group]}).body
    assert sent["tools"] == [{**group, "tools": [function]}]
    declared = {"functionDeclarations": [{"name": "read_file"}]}
    tools = [declared, {"googleSearch": {}}, {"urlContext": {}}, {**declared, "codeExecution": {}}]
    assert wanted(GEMINI, STREAM, {"contents": [], "tools": tools}).body["tools"] == [declared, declared]


def test_one_call_is_not_made_as_dear_as_several() -> None:
    dear = {"n": 64, "best_of": 9, "service_tier": "priority", "speed": "fast"}
    for wire, path in PLACES[:3]:
        assert not dear.keys() & wanted(wire, path, {"model": "m", **dear}).body.keys()
    call = wanted(GEMINI, STREAM, {"contents": [], "generationConfig": {"candidateCount": 8, "topK": 1}})
    GEMINI.limit(call, 100)
    assert call.body["generationConfig"] == {"topK": 1, "maxOutputTokens": 100}
    other = {"candidate_count": 8, "max_output_tokens": 60_000}
    body = {"contents": [], "generation_config": other, "generationConfig": other, "cached_content": "cachedContents/x"}
    call = wanted(GEMINI, STREAM, body)
    GEMINI.limit(call, 100)
    assert call.body == {"contents": [], "generationConfig": {"maxOutputTokens": 100}}


@pytest.mark.parametrize("odd", [7, "text", ["text"], [None], {"a": 1}, True])
def test_what_has_another_form_than_the_protocol_says_is_no_trouble(odd: object) -> None:
    body = {"model": "m", "tools": odd, "messages": odd, "input": odd, "contents": odd, "generationConfig": odd}
    for wire, path in PLACES:
        call = wanted(wire, path, body)
        assert wire.limit(call, 50) == 50 and wire.acts(body) == ()


@pytest.mark.parametrize(
    ("wire", "path", "body"),
    [
        (
            CLAUDE,
            "/v1/messages",
            {"messages": [{"content": [{"source": {"type": "url", "url": "https://x/?secret"}}]}]},
        ),
        (CODEX, "/v1/responses", {"input": [{"content": [{"type": "input_image", "image_url": "https://x/?secret"}]}]}),
        (CODEX, "/v1/responses", {"input": [{"content": [{"type": "input_file", "file_url": "HTTPS://x"}]}]}),
        (CODEX, "/v1/chat/completions", {"messages": [{"content": [{"image_url": {"url": "http://x/?secret"}}]}]}),
        (GEMINI, STREAM, {"contents": [{"parts": [{"fileData": {"fileUri": "gs://bucket/x"}}]}]}),
        (
            GEMINI,
            STREAM,
            {"contents": [{"parts": [{"functionResponse": {"parts": [{"fileData": {"fileUri": "https://x"}}]}}]}]},
        ),
        (
            CODEX,
            "/v1/responses",
            {"input": [{"type": "computer_call_output", "output": {"type": "x", "image_url": "https://x/?secret"}}]},
        ),
    ],
)
def test_content_by_address_is_refused(wire: Wire, path: str, body: dict[str, Any]) -> None:
    with pytest.raises(Refused, match="by address"):
        wire.read(path, {"model": "m", **body})


def test_what_tools_were_given_is_text_and_may_name_addresses() -> None:
    used = {"type": "tool_use", "id": "1", "name": "Bash", "input": {"url": "https://example.com"}}
    wanted(CLAUDE, "/v1/messages", {"model": "m", "messages": [{"role": "assistant", "content": [used]}]})
    call = {"functionCall": {"name": "f", "args": {"url": "https://example.com"}}}
    wanted(GEMINI, STREAM, {"contents": [{"role": "model", "parts": [call]}]})
    said = {"functionResponse": {"name": "f", "response": {"url": "https://example.com"}}}
    wanted(GEMINI, STREAM, {"contents": [{"role": "user", "parts": [said]}]})
    item = {"type": "function_call", "name": "f", "arguments": {"url": "https://example.com"}}
    wanted(CODEX, "/v1/responses", {"model": "m", "input": [item]})


@pytest.mark.parametrize(
    ("wire", "path"),
    [
        (CLAUDE, "/v1/files"),
        (CLAUDE, "/v1/messages/batches"),
        (CODEX, "/v1/responses/resp_1"),
        (CODEX, "/v1/files"),
        (GEMINI, "/v1beta/models/../files:generateContent"),
        (GEMINI, "/v1beta/cachedContents"),
        (GEMINI, "/upload/v1beta/files"),
    ],
)
def test_no_other_request_is_known(wire: Wire, path: str) -> None:
    assert wire.read(path, {"model": "m"}) is None


def test_an_answer_has_a_bound_whatever_the_program_asks_for() -> None:
    asked = wanted(CLAUDE, "/v1/messages", {"model": "m", "max_tokens": 64_000, "thinking": {"budget_tokens": 63_999}})
    assert CLAUDE.limit(asked, 8_000) == 8_000
    assert asked.body["max_tokens"] == 8_000 and asked.body["thinking"]["budget_tokens"] == 4_000
    asked = wanted(CODEX, "/v1/responses", {"model": "m"})
    assert CODEX.limit(asked, 8_000) == 8_000 and asked.body["max_output_tokens"] == 8_000
    asked = wanted(GEMINI, STREAM, {"contents": [], "generationConfig": {"maxOutputTokens": 100}})
    assert GEMINI.limit(asked, 8_000) == 100


def test_a_key_is_put_where_its_protocol_has_it_and_no_header_of_the_program_goes_along() -> None:
    given = {"x-api-key": "run-1", "authorization": "Bearer run-1", "cookie": "a=b", "anthropic-version": "2023-06-01"}
    sent = CLAUDE.headers(given, "sk-ant-real")
    assert sent["x-api-key"] == "sk-ant-real" and "run-1" not in str(sent) and "cookie" not in sent
    token = CLAUDE.headers(given, "sk-ant-oat01-mine")
    assert token["authorization"] == "Bearer sk-ant-oat01-mine" and "x-api-key" not in token
    assert CODEX.headers(given, "sk-real")["authorization"] == "Bearer sk-real"
    assert GEMINI.headers(given, "g-real")["x-goog-api-key"] == "g-real"


def test_a_token_is_found_where_each_program_puts_it() -> None:
    assert token_in({"x-api-key": "t"}, {}) == "t"
    assert token_in({"x-goog-api-key": "t"}, {}) == "t"
    assert token_in({"Authorization": "Bearer t"}, {}) == "t"
    assert token_in({}, {"key": "t"}) == "t"
    assert token_in({}, {}) == ""


def test_what_the_last_turn_did_is_read_from_the_next_request() -> None:
    blocks = [{"type": "text", "text": "x"}, {"type": "tool_use", "name": "Edit", "input": {"file_path": "a.py"}}]
    talk = [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": blocks},
        {"role": "user", "content": []},
    ]
    assert [(act.name, act.arguments) for act in CLAUDE.acts({"messages": talk})] == [("Edit", {"file_path": "a.py"})]
    patch = "apply_patch <<'P'\n*** Begin Patch\n*** Update File: a.py\n*** Add File: b.py\n*** End Patch\nP"
    items = [
        {"type": "function_call", "name": "old", "arguments": "{}"},
        {"role": "user", "type": "message"},
        {"type": "function_call", "name": "exec_command", "arguments": json.dumps({"cmd": patch})},
        {"type": "function_call", "namespace": "mcp__overlord", "name": "task_complete", "arguments": "{}"},
        {"type": "function_call_output"},
    ]
    acts = CODEX.acts({"input": items})
    assert [act.name for act in acts] == ["apply_patch", "apply_patch", "mcp__overlord__task_complete"]
    assert [act.arguments.get("path") for act in acts][:2] == ["a.py", "b.py"]
    parts = [{"text": "x"}, {"functionCall": {"name": "read_file", "args": {"file_path": "a"}}}]
    assert GEMINI.acts({"contents": [{"role": "model", "parts": parts}]})[0].arguments == {"file_path": "a"}
    for wire in (CLAUDE, CODEX, GEMINI):
        for odd in ({}, {"messages": "x", "input": 3, "contents": None}, {"messages": [1], "input": [None]}):
            assert wire.acts(odd) == ()


@pytest.mark.parametrize("body", [b"", b"[]", b"null", b"{", b'"x"', b"[" * 100_000])
def test_what_is_no_object_is_refused(body: bytes) -> None:
    with pytest.raises(Refused):
        parse(body)
