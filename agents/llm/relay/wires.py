"""The protocols that command-line agents speak: which requests there are, what they want, and what they may not want.

A relay passes a request on as it is, but for what would make the provider itself reach somewhere else for the program:
tools that the provider runs, and addresses that it would fetch.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol

from agents.llm.relay.usage import ChatUsage, GeminiUsage, MessagesUsage, ResponsesUsage, Usage
from agents.ports import Act

Json = dict[str, Any]


class Refused(Exception):
    """A request that is not passed on, and why: the program is told."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status, self.message = status, message


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """A request, as it will be passed on. `counts`: it is only asked how long something is, which costs nothing."""

    model: str
    path: str  # beneath the provider's address
    body: Json
    counts: bool = False
    stream: bool = False


class Wire(Protocol):
    """One protocol, from the side of whoever passes it on."""

    provider: str  # litellm's name for whom it asks where no address is written
    address: str  # of that provider

    def read(self, path: str, body: Json) -> Wanted | None:
        """None: no such request."""

    def limit(self, wanted: Wanted, most: int) -> int:
        """Bounds the answer, in tokens, and returns the bound."""

    def headers(self, given: Mapping[str, str], key: str) -> dict[str, str]: ...

    def acts(self, body: Json) -> tuple[Act, ...]:
        """What the model wanted done in its last turn, as the request tells it."""

    def usage(self) -> Usage: ...

    def error(self, status: int, message: str) -> Json: ...


def token_in(headers: Mapping[str, str], query: Mapping[str, str]) -> str:
    """What the program takes for its key, wherever its protocol puts it."""
    bearer = headers.get("Authorization", "").removeprefix("Bearer ")
    return headers.get("x-api-key") or headers.get("x-goog-api-key") or query.get("key") or bearer


_KEPT = ("content-type", "accept", "anthropic-version", "anthropic-beta", "openai-beta")


def _passed(given: Mapping[str, str]) -> dict[str, str]:
    """Compressed answers could not be counted."""
    return {name: given[name] for name in _KEPT if name in given} | {"accept-encoding": "identity"}


def _names(name: str, body: Json) -> str:
    model = body.get(name)
    if not isinstance(model, str) or not model:
        raise Refused(400, "the request names no model")
    return model


_FAR = re.compile(r"\A\s*(?:https?|gs|ftp|file):", re.I)
# Where the protocols have an address that the provider would fetch.
_ADDRESSES = frozenset({"url", "image_url", "file_url", "fileUri", "file_uri", "server_url"})


def refuse_addresses(value: object) -> None:
    """Raises Refused for content that the provider would have to fetch: it could carry something out."""
    for name, inner in _walk(value):
        if name in _ADDRESSES and isinstance(inner, str) and _FAR.match(inner):
            raise Refused(400, f"content by address (`{name}`) is not passed on; send the content itself")


def _walk(value: object) -> Iterator[tuple[str, object]]:
    """What is said, and not the arguments of tools: those go nowhere by themselves."""
    waiting = [value]
    while waiting:
        each = waiting.pop()
        if isinstance(each, list):
            waiting += each
        elif isinstance(each, dict):
            for name, inner in each.items():
                yield name, inner
                if name not in _OWN_WORDS:
                    waiting.append(inner)


_OWN_WORDS = frozenset({"input_schema", "parameters", "parametersJsonSchema", "args", "functionCall", "response"})


@dataclass(frozen=True, slots=True)
class AnthropicMessages:
    """What Claude Code speaks."""

    provider = "anthropic"
    address = "https://api.anthropic.com"

    def read(self, path: str, body: Json) -> Wanted | None:
        if path not in ("/v1/messages", "/v1/messages/count_tokens"):
            return None
        sent = _with_tools(body, (None, "custom", *_LOCAL), "mcp_servers", "container")
        for message in _objects(sent.get("messages")):
            blocks = message.get("content")
            refuse_addresses([_without_input(block) for block in blocks] if isinstance(blocks, list) else None)
        counts = path.endswith("/count_tokens")
        return Wanted(model=_names("model", body), path=path, body=sent, counts=counts, stream=bool(body.get("stream")))

    def limit(self, wanted: Wanted, most: int) -> int:
        asked = wanted.body.get("max_tokens")
        bound = min(asked, most) if isinstance(asked, int) and asked > 0 else most
        wanted.body["max_tokens"] = bound
        thinking = wanted.body.get("thinking")
        if isinstance(thinking, dict) and isinstance(thinking.get("budget_tokens"), int):
            thinking["budget_tokens"] = min(thinking["budget_tokens"], max(1024, bound // 2))
        return bound

    def headers(self, given: Mapping[str, str], key: str) -> dict[str, str]:
        """A subscription's token goes where its owner's own program would put it."""
        sent = {"anthropic-version": "2023-06-01", **_passed(given)}
        if not key.startswith(SUBSCRIPTION):
            return sent | {"x-api-key": key}
        betas = [beta for beta in (sent.get("anthropic-beta"), "oauth-2025-04-20") if beta]
        return sent | {"authorization": f"Bearer {key}", "anthropic-beta": ",".join(betas)}

    def acts(self, body: Json) -> tuple[Act, ...]:
        talk = _objects(body.get("messages"))
        last = next((message for message in reversed(talk) if message.get("role") == "assistant"), {})
        blocks = _objects(last.get("content"))
        return tuple(_act(each.get("name"), each.get("input")) for each in blocks if each.get("type") == "tool_use")

    def usage(self) -> Usage:
        return MessagesUsage()

    def error(self, status: int, message: str) -> Json:
        kinds = {401: "authentication_error", 403: "permission_error", 404: "not_found_error", 429: "rate_limit_error"}
        kind = kinds.get(status, "api_error" if status >= 500 else "invalid_request_error")
        return {"type": "error", "error": {"type": kind, "message": message}}


SUBSCRIPTION = "sk-ant-oat"
# Tools of the provider's making that the program itself carries out, by how their types begin.
_LOCAL = ("bash_20250124", "text_editor_20250728", "text_editor_20250429", "text_editor_20250124", "memory_20250818")


def _without_input(block: object) -> object:
    return {**block, "input": None} if isinstance(block, dict) and block.get("type") == "tool_use" else block


@dataclass(frozen=True, slots=True)
class OpenAiResponses:
    """What Codex speaks; `chat` is for programs that speak OpenAI's older protocol."""

    provider = "openai"
    address = "https://api.openai.com/v1"

    def read(self, path: str, body: Json) -> Wanted | None:
        if path == "/v1/chat/completions":
            return self._chat(body)
        if path != "/v1/responses":
            return None
        far = ("previous_response_id", "background", "conversation", "prompt", "client_metadata")
        sent = _with_tools(body, _OWN_TOOLS, *far)
        said = sent.get("input")
        refuse_addresses([_without_arguments(item) for item in said] if isinstance(said, list) else None)
        return Wanted(model=_names("model", body), path="/responses", body=sent, stream=bool(body.get("stream")))

    def _chat(self, body: Json) -> Wanted:
        sent = _with_tools(body, _OWN_TOOLS, "web_search_options")
        for message in _objects(sent.get("messages")):
            refuse_addresses(message.get("content"))
        stream = bool(body.get("stream"))
        if stream:  # else nobody says what it took
            sent["stream_options"] = {"include_usage": True}
        return Wanted(model=_names("model", body), path="/chat/completions", body=sent, stream=stream)

    def limit(self, wanted: Wanted, most: int) -> int:
        name = "max_output_tokens" if wanted.path == "/responses" else "max_completion_tokens"
        known = [wanted.body.get(each) for each in (name, "max_tokens")]
        asked = min((each for each in known if isinstance(each, int) and each > 0), default=most)
        wanted.body.pop("max_tokens", None)
        wanted.body[name] = min(asked, most)
        return min(asked, most)

    def headers(self, given: Mapping[str, str], key: str) -> dict[str, str]:
        return _passed(given) | ({"authorization": f"Bearer {key}"} if key else {})

    def acts(self, body: Json) -> tuple[Act, ...]:
        if "messages" in body:
            talk = _objects(body.get("messages"))
            last = next((message for message in reversed(talk) if message.get("role") == "assistant"), {})
            calls = [each.get("function") for each in _objects(last.get("tool_calls"))]
            return tuple(_act(each.get("name"), each.get("arguments")) for each in _objects(calls))
        found: list[Act] = []
        for item in reversed(_objects(body.get("input"))):
            kind = str(item.get("type", ""))
            if kind.endswith("_call"):
                found += _calls_of(item)
            elif (not kind.endswith("_call_output") and kind not in ("reasoning", "message")) or item.get(
                "role"
            ) == "user":
                break
        return tuple(reversed(found))

    def usage(self) -> Usage:
        return ResponsesUsage(also=ChatUsage())

    def error(self, status: int, message: str) -> Json:
        return {"error": {"message": message, "type": "invalid_request_error", "param": None, "code": None}}


_OWN_TOOLS = ("function", "custom", "namespace", "local_shell", "apply_patch", "shell")


def _without_arguments(item: object) -> object:
    """What tools were given, and what they said in words, stays text."""
    if isinstance(item, dict) and str(item.get("type", "")).endswith(("_call", "_call_output")):
        return {name: value for name, value in item.items() if name not in ("arguments", "input", "action")}
    return item


@dataclass(frozen=True, slots=True)
class GeminiContent:
    """What Gemini CLI speaks."""

    provider = "gemini"
    address = "https://generativelanguage.googleapis.com/v1beta"

    def read(self, path: str, body: Json) -> Wanted | None:
        asked = _GEMINI.fullmatch(path)
        if asked is None:
            return None
        model, what = asked.groups()
        kept = [_declared(tool) for tool in _objects(body.get("tools"))]
        sent = {**body, **({"tools": [tool for tool in kept if tool]} if body.get("tools") else {})}
        for name in ("cachedContent", "cached_content", "generation_config", "serviceTier", "service_tier"):
            sent.pop(name, None)  # the protocol takes either spelling, and what is bounded is the one
        if not sent.get("tools"):
            sent.pop("tools", None)
        refuse_addresses(sent.get("contents"))
        streams = what == "streamGenerateContent"
        path = f"/models/{model}:{what}{'?alt=sse' if streams else ''}"
        return Wanted(model=model, path=path, body=sent, counts=what == "countTokens", stream=streams)

    def limit(self, wanted: Wanted, most: int) -> int:
        given = wanted.body.get("generationConfig")
        config = wanted.body["generationConfig"] = dict(given) if isinstance(given, dict) else {}
        for name in ("candidateCount", "candidate_count", "max_output_tokens"):
            config.pop(name, None)
        asked = config.get("maxOutputTokens")
        config["maxOutputTokens"] = min(asked, most) if isinstance(asked, int) and asked > 0 else most
        return int(config["maxOutputTokens"])

    def headers(self, given: Mapping[str, str], key: str) -> dict[str, str]:
        return _passed(given) | {"x-goog-api-key": key}

    def acts(self, body: Json) -> tuple[Act, ...]:
        talk = _objects(body.get("contents"))
        last = next((content for content in reversed(talk) if content.get("role") == "model"), {})
        calls = [part.get("functionCall") for part in _objects(last.get("parts"))]
        return tuple(_act(each.get("name"), each.get("args")) for each in _objects(calls))

    def usage(self) -> Usage:
        return GeminiUsage()

    def error(self, status: int, message: str) -> Json:
        kinds = {401: "UNAUTHENTICATED", 403: "PERMISSION_DENIED", 404: "NOT_FOUND", 429: "RESOURCE_EXHAUSTED"}
        return {"error": {"code": status, "message": message, "status": kinds.get(status, "INVALID_ARGUMENT")}}


_GEMINI = re.compile(
    r"/(?:v1|v1beta|v1alpha)/models/([A-Za-z0-9._-]+):(generateContent|streamGenerateContent|countTokens)"
)


def _declared(tool: Json) -> Json:
    """Functions of the program alone: no search, no fetching, no code that the provider would run."""
    return {"functionDeclarations": tool["functionDeclarations"]} if tool.get("functionDeclarations") else {}


# What makes one call cost as much as several, which would be more than what was reserved for it.
_DEARER = ("n", "best_of", "service_tier", "speed", "inference_geo")


def _with_tools(body: Json, kinds: tuple[str | None, ...], *dropped: str) -> Json:
    """What is passed on: with tools of these types alone, and without what is dropped or would cost more."""
    sent = {name: value for name, value in body.items() if name not in (*dropped, *_DEARER)}
    if sent.get("tools"):
        sent["tools"] = list(_tools_of(sent["tools"], kinds))
    return sent


def _tools_of(tools: object, kinds: tuple[str | None, ...]) -> Iterator[Json]:
    """Some hold others."""
    for tool in _objects(tools):
        if tool.get("type") in kinds:
            inner = _objects(tool.get("tools"))
            own = {"tools": [each for each in inner if each.get("type") in kinds and "tools" not in each]}
            yield {**tool, **own} if "tools" in tool else tool


def _objects(value: object) -> list[Json]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def _act(name: object, given: object) -> Act:
    if isinstance(given, str):
        try:
            given = json.loads(given)
        except (ValueError, RecursionError):
            given = {}
    return Act(name=name if isinstance(name, str) else "a tool", arguments=given if isinstance(given, dict) else {})


_PATCHED = re.compile(r"^\*\*\* (?:Add|Update|Delete) File: (.+)$", re.M)


def _calls_of(item: Json) -> list[Act]:
    """The last first. A patch names the files that it changes."""
    act = _act(item.get("name"), item.get("arguments"))
    text = item.get("input") or act.arguments.get("cmd")
    if isinstance(text, str) and "*** Begin Patch" in text and (paths := _PATCHED.findall(text)):
        return [Act(name="apply_patch", arguments={"path": path.strip()}) for path in reversed(paths)]
    space = item.get("namespace")
    return [replace(act, name=f"{space}__{act.name}") if isinstance(space, str) else act]


def parse(body: bytes) -> Json:
    try:
        given = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise Refused(400, "the request is not JSON") from error
    if not isinstance(given, dict):
        raise Refused(400, "the request is not a JSON object")
    return given
