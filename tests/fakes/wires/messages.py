"""Anthropic's messages on the wire: blocks, tools that are used and answered in pairs, marks for what is kept."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationError

from tests.fakes.wires.shape import Blocks, Heard, Json, Made, Refused, Strict, Wire, event, load, place_of, split

MOST_MARKS = 4
Id = Annotated[str, Field(pattern=r"^[a-zA-Z0-9_-]+$")]


class Mark(Strict):
    type: Literal["ephemeral"]
    ttl: Literal["5m", "1h"] | None = None


class Block(Strict):
    cache_control: Mark | None = None


class TextBlock(Block):
    type: Literal["text"]
    text: str


class ToolUse(Block):
    type: Literal["tool_use"]
    id: Id
    name: Annotated[str, Field(pattern=r"^[a-zA-Z0-9_-]{1,128}$")]
    input: dict[str, Any]


class ToolResult(Block):
    type: Literal["tool_result"]
    tool_use_id: Id
    content: str | list[TextBlock] = ""
    is_error: bool | None = None


class Thinking(Strict):
    type: Literal["thinking"]
    thinking: str
    signature: str


Part = Annotated[TextBlock | ToolUse | ToolResult | Thinking, Field(discriminator="type")]


class Message(Strict):
    role: Literal["user", "assistant"]
    content: str | list[Part]


class Tool(Block):
    type: Literal["custom"] = "custom"
    name: Annotated[str, Field(pattern=r"^[a-zA-Z0-9_-]{1,128}$")]
    description: str | None = None
    input_schema: dict[str, Any]


class Format(Strict):
    type: Literal["json_schema"]
    schema_: Annotated[dict[str, Any], Field(alias="schema")]


class Asked(Strict):
    model: str
    messages: Annotated[list[Message], Field(min_length=1)]
    max_tokens: Annotated[int, Field(ge=1)]
    system: str | list[TextBlock] | None = None
    tools: list[Tool] | None = None
    tool_choice: dict[str, Any] | None = None
    temperature: Annotated[float, Field(ge=0, le=1)] | None = None
    stream: bool | None = None
    thinking: dict[str, Any] | None = None
    output_format: Format | None = None
    metadata: dict[str, Any] | None = None
    context_management: dict[str, Any] | None = None  # with a beta header
    output_config: dict[str, Any] | None = None


KINDS = {
    400: "invalid_request_error",
    401: "authentication_error",
    402: "billing_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    504: "timeout_error",
    529: "overloaded_error",
}
_ENDS = {"stop": "end_turn", "length": "max_tokens", "tool_calls": "tool_use", "content_filter": "refusal"}


class Messages(Wire):
    provider = "anthropic"
    model = "claude-sonnet-5"
    posts = ("/v1/messages",)

    def check_key(self, headers: Mapping[str, str]) -> None:
        if self.wrong_key(headers, "x-api-key"):
            given = headers.get("x-api-key")
            raise Refused(401, "invalid x-api-key" if given else "x-api-key header is required")
        if not headers.get("anthropic-version"):
            raise Refused(400, "anthropic-version: header is required")

    def read(self, path: str, body: bytes) -> Heard:
        try:
            given = load(body)
            asked = Asked.model_validate_json(body)
        except ValidationError as error:
            where, kind, what = place_of(error)
            kinds = {"extra_forbidden": "Extra inputs are not permitted", "missing": "Field required"}
            raise Refused(400, f"{where}: {kinds.get(kind, what)}") from error
        except ValueError as error:
            raise Refused(400, "The request body is not valid JSON") from error
        if asked.model not in self.host.models:
            raise Refused(404, f"model: {asked.model}")
        laid = _check(asked)
        return Heard(
            model=asked.model,
            talk=list(_talk(asked)),
            body=given,
            stream=bool(asked.stream),
            most=asked.max_tokens,
            tools=tuple(tool.name for tool in asked.tools or ()),
            schema=asked.output_format.schema_ if asked.output_format else None,
            marks=tuple(laid.marks),
            thinks=bool(asked.thinking),
        )

    def whole(self, heard: Heard, made: Made) -> Json:
        return {
            "id": f"msg_{made.number}",
            "type": "message",
            "role": "assistant",
            "model": made.model,
            "content": list(self._blocks(heard, made)),
            "stop_reason": _ENDS.get(made.finish or "", made.finish),
            "stop_sequence": None,
            "usage": self._usage(heard, made),
        }

    def _blocks(self, heard: Heard, made: Made) -> Iterator[Json]:
        if made.thinks and heard.thinks:
            yield {"type": "thinking", "thinking": made.thinks, "signature": f"sig_{made.number}"}
        if made.text:
            yield {"type": "text", "text": made.text}
        for id, name, arguments in made.calls:
            yield {"type": "tool_use", "id": id, "name": name, "input": _arguments(arguments)}

    def _usage(self, heard: Heard, made: Made) -> Json:
        """What was kept and what is kept anew does not count as input."""
        kept = max((len(mark) for mark in heard.marks or ()), default=0) // 4
        anew = max(0, kept - made.cached) if kept >= 1024 else 0
        return {
            "input_tokens": max(0, made.tokens - made.cached - anew),
            "cache_read_input_tokens": made.cached,
            "cache_creation_input_tokens": anew,
            "output_tokens": made.written + (made.thought if heard.thinks else 0),
        }

    def pieces(self, heard: Heard, made: Made) -> Iterator[bytes]:
        whole = self.whole(heard, made)
        yield _of("message_start", message={**whole, "content": [], "stop_reason": None})
        for at, block in enumerate(whole["content"]):
            kind = block["type"]
            blank: dict[str, Json] = {"tool_use": {"input": {}}, "thinking": {"thinking": "", "signature": ""}}
            empty = blank.get(kind, {"text": ""})
            yield _of("content_block_start", index=at, content_block={**block, **empty})
            words = json.dumps(block["input"]) if kind == "tool_use" else block[kind]
            name, key = {"tool_use": ("input_json_delta", "partial_json")}.get(kind, (f"{kind}_delta", kind))
            for piece in split(words):
                yield _of("content_block_delta", index=at, delta={"type": name, key: piece})
            yield _of("content_block_stop", index=at)
        ended = {"stop_reason": whole["stop_reason"], "stop_sequence": None}
        yield _of("message_delta", delta=ended, usage={"output_tokens": whole["usage"]["output_tokens"]})
        yield _of("message_stop")

    def error(self, refused: Refused) -> object:
        kind = KINDS.get(refused.status, "api_error")
        return {"type": "error", "error": {"type": kind, "message": refused.message}, "request_id": "req_fake"}

    def overflow(self, heard: Heard, tokens: int) -> Refused | None:
        return Refused(400, f"prompt is too long: {tokens} tokens > {self.host.window} maximum")

    def about(self) -> dict[str, Json]:
        data = [{"type": "model", "id": name, "display_name": name} for name in self.host.models]
        return {"/v1/models": {"data": data, "has_more": False}}


def _of(kind: str, **more: object) -> bytes:
    return event({"type": kind, **more}, kind)


def _arguments(text: str) -> Json:
    """The model's words are parsed before they are sent; what is no JSON is sent as it is, under a name of its own."""
    try:
        made = json.loads(text or "{}")
    except ValueError:
        made = None
    return made if isinstance(made, dict) else {"INVALID_JSON": text}


def _check(asked: Asked) -> Blocks:
    laid = _head(asked)
    if asked.messages[0].role != "user":
        raise Refused(400, 'messages: first message must use the "user" role')
    waiting: set[str] = set()
    for at, message in enumerate(asked.messages):
        waiting = _check_message(at, message, waiting, laid)
        if any(isinstance(part, ToolUse) for part in _parts(message)) and not asked.tools:
            raise Refused(400, "tools: required where messages contain tool_use blocks")
    if waiting:
        raise Refused(400, f"`tool_use` ids were found without `tool_result` blocks immediately after: {waiting.pop()}")
    if len(laid.marks) > MOST_MARKS:
        raise Refused(
            400, f"A maximum of {MOST_MARKS} blocks with cache_control may be provided. Found {len(laid.marks)}."
        )
    return laid


def _head(asked: Asked) -> Blocks:
    """Tools come before the rules."""
    laid = Blocks()
    for tool in asked.tools or ():
        laid.add(json.dumps(tool.input_schema), marked=tool.cache_control is not None)
    system = [TextBlock(type="text", text=asked.system)] if isinstance(asked.system, str) else asked.system or []
    for block in system:
        if not block.text:
            raise Refused(400, "system: text content blocks must be non-empty")
        laid.add(block.text, marked=block.cache_control is not None)
    return laid


def _parts(message: Message) -> Sequence[TextBlock | ToolUse | ToolResult | Thinking]:
    return [TextBlock(type="text", text=message.content)] if isinstance(message.content, str) else message.content


def _check_message(at: int, message: Message, waiting: set[str], laid: Blocks) -> set[str]:
    """Which tools wait for their results after it."""
    parts = _parts(message)
    told = {part.tool_use_id for part in parts if isinstance(part, ToolResult)}
    if not parts or any(isinstance(part, TextBlock) and not part.text.strip() for part in parts):
        raise Refused(400, f"messages.{at}: text content blocks must contain non-whitespace text")
    if waiting - told:
        missing = sorted(waiting - told)[0]
        raise Refused(400, f"messages.{at}: `tool_use` ids were found without `tool_result` blocks: {missing}")
    if told - waiting:
        raise Refused(
            400, f"messages.{at}: unexpected `tool_use_id` found in `tool_result` blocks: {(told - waiting).pop()}"
        )
    for part in parts:
        if not isinstance(part, Thinking):
            laid.add(_words(part), marked=part.cache_control is not None)
    used = [part.id for part in parts if isinstance(part, ToolUse)]
    if len(used) > len(set(used)):
        raise Refused(400, f"messages.{at}: `tool_use` ids must be unique")
    return set(used)


def _words(part: TextBlock | ToolUse | ToolResult) -> str:
    if isinstance(part, TextBlock):
        return part.text
    if isinstance(part, ToolUse):
        return json.dumps(part.input)
    return part.content if isinstance(part.content, str) else "".join(block.text for block in part.content)


def _talk(asked: Asked) -> Iterator[Json]:
    if asked.system:
        blocks = asked.system
        yield {"role": "system", "content": blocks if isinstance(blocks, str) else "".join(b.text for b in blocks)}
    for message in asked.messages:
        parts = _parts(message)
        yield from ({"role": "tool", "content": _words(part)} for part in parts if isinstance(part, ToolResult))
        text = "\n".join(part.text for part in parts if isinstance(part, TextBlock))
        used = [(part.id, part.name, json.dumps(part.input)) for part in parts if isinstance(part, ToolUse)]
        if text or used:
            yield {"role": message.role, "content": text, **({"tool_calls": used} if used else {})}
