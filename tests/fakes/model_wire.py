"""OpenAI's chat completions on the wire: what a request may hold, and how answers and errors look."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

CREATED = 1_760_000_000


class Refused(Exception):
    """An error as the original answers it."""

    def __init__(
        self, status: int, message: str, *, code: str | None = None, kind: str = "invalid_request_error"
    ) -> None:
        super().__init__(message)
        self.status = status
        self.body = {"error": {"message": message, "type": kind, "param": None, "code": code}}


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class CacheControl(_Strict):
    type: Literal["ephemeral"]


class TextPart(_Strict):
    type: Literal["text"]
    text: Annotated[str, Field(min_length=1)]
    cache_control: CacheControl | None = None


Content = Annotated[str, Field()] | Annotated[list[TextPart], Field(min_length=1)]


class Function(_Strict):
    name: Annotated[str, Field(pattern=r"^[a-zA-Z0-9_-]{1,64}$")]
    description: str = ""
    parameters: dict[str, Any] = {}
    strict: bool | None = None


class Tool(_Strict):
    type: Literal["function"]
    function: Function


class Called(_Strict):
    name: str
    arguments: str


class ToolCall(_Strict):
    id: Annotated[str, Field(min_length=1)]
    type: Literal["function"]
    function: Called


class System(_Strict):
    role: Literal["system", "developer"]
    content: Content
    name: str | None = None


class User(_Strict):
    role: Literal["user"]
    content: Content
    name: str | None = None


class Assistant(_Strict):
    role: Literal["assistant"]
    content: Content | None = None
    tool_calls: Annotated[list[ToolCall], Field(min_length=1)] | None = None
    refusal: str | None = None
    name: str | None = None


class ToolResult(_Strict):
    role: Literal["tool"]
    content: Content
    tool_call_id: str


class ResponseFormat(_Strict):
    type: Literal["text", "json_object", "json_schema"]
    json_schema: dict[str, Any] | None = None


class StreamOptions(_Strict):
    include_usage: bool = False


class Asked(_Strict):
    """Everything that we or litellm may send; what is not here is refused, as the original does."""

    model: str
    messages: Annotated[
        list[Annotated[System | User | Assistant | ToolResult, Field(discriminator="role")]], Field(min_length=1)
    ]
    temperature: Annotated[float, Field(ge=0, le=2)] | None = None
    top_p: Annotated[float, Field(ge=0, le=1)] | None = None
    max_tokens: Annotated[int, Field(ge=1)] | None = None
    max_completion_tokens: Annotated[int, Field(ge=1)] | None = None
    n: Annotated[int, Field(ge=1, le=8)] = 1
    stop: str | list[str] | None = None
    seed: int | None = None
    user: str | None = None
    response_format: ResponseFormat | None = None
    tools: Annotated[list[Tool], Field(min_length=1)] | None = None
    tool_choice: Literal["none", "auto", "required"] | dict[str, Any] | None = None
    parallel_tool_calls: bool | None = None
    stream: bool | None = None
    stream_options: StreamOptions | None = None


def parse(body: bytes, models: Sequence[str]) -> Asked:
    try:
        given = json.loads(body)
    except ValueError as error:
        raise Refused(400, "We could not parse the JSON body of your request.") from error
    try:
        asked = Asked.model_validate_json(body)
    except ValidationError as error:
        raise Refused(400, _first(error)) from error
    if asked.model not in models:
        text = f"The model `{given['model']}` does not exist or you do not have access to it."
        raise Refused(404, text, code="model_not_found")
    _check(asked)
    return asked


def _first(error: ValidationError) -> str:
    detail = error.errors()[0]
    where = ".".join(str(part) for part in detail["loc"])
    if detail["type"] == "extra_forbidden":
        return f"Unrecognized request argument supplied: {where}"
    return f"Invalid value for '{where}': {detail['msg']}"


def _check(asked: Asked) -> None:
    if asked.max_tokens and asked.max_completion_tokens:
        raise Refused(400, "max_tokens and max_completion_tokens cannot both be set")
    if asked.response_format and asked.response_format.type == "json_object" and "json" not in said(asked).lower():
        raise Refused(
            400, "'messages' must contain the word 'json' in some form, to use 'response_format' json_object."
        )
    if asked.response_format and (asked.response_format.type == "json_schema") != bool(
        asked.response_format.json_schema
    ):
        raise Refused(400, "Missing or surplus parameter: 'response_format.json_schema'.")
    if asked.stream_options and not asked.stream:
        raise Refused(400, "The 'stream_options' parameter is only allowed when 'stream' is enabled.")
    if asked.tool_choice and not asked.tools:
        raise Refused(400, "'tool_choice' is only allowed when 'tools' are specified.")
    _check_tools(asked)


def _check_tools(asked: Asked) -> None:
    """Every call of a tool is followed by its result, and nothing else comes between."""
    waiting: set[str] = set()
    for message in asked.messages:
        if isinstance(message, ToolResult):
            if message.tool_call_id not in waiting:
                raise Refused(
                    400, "messages with role 'tool' must be a response to a preceding message with 'tool_calls'."
                )
            waiting.discard(message.tool_call_id)
            continue
        if waiting:
            raise Refused(400, f"An assistant message with 'tool_calls' must be followed by tool messages: {waiting}")
        if isinstance(message, Assistant):
            waiting = {call.id for call in message.tool_calls or []}
            if not message.content and not waiting:
                raise Refused(400, "Invalid value for 'content': expected a string, got null.")


def text_of(content: str | list[TextPart] | None) -> str:
    if isinstance(content, list):
        return "".join(part.text for part in content)
    return content or ""


def said(asked: Asked) -> str:
    return "\n".join(text_of(message.content) for message in asked.messages)


def usage(tokens_in: int, tokens_out: int, cached: int) -> dict[str, object]:
    return {
        "prompt_tokens": tokens_in,
        "completion_tokens": tokens_out,
        "total_tokens": tokens_in + tokens_out,
        "prompt_tokens_details": {"cached_tokens": cached, "audio_tokens": 0},
        "completion_tokens_details": {"reasoning_tokens": 0, "audio_tokens": 0},
    }


def completion(id: str, model: str, choices: list[dict[str, object]], used: Mapping[str, object]) -> dict[str, object]:
    return {
        "id": id,
        "object": "chat.completion",
        "created": CREATED,
        "model": model,
        "choices": choices,
        "usage": dict(used),
        "system_fingerprint": "fp_fake",
    }


def choice(message: Mapping[str, object], finish: str | None, index: int = 0) -> dict[str, object]:
    return {
        "index": index,
        "message": {"role": "assistant", "refusal": None, **message},
        "logprobs": None,
        "finish_reason": finish,
    }


def chunks(whole: Mapping[str, Any], *, with_usage: bool) -> Iterator[dict[str, object]]:
    """The same answer, a few letters at a time."""
    base = {**whole, "object": "chat.completion.chunk"}
    base.pop("usage")
    only = whole["choices"][0]
    message = only["message"]
    deltas: list[dict[str, object]] = [{"role": "assistant", "content": ""}]
    text = message.get("content") or ""
    deltas += [{"content": text[at : at + 12]} for at in range(0, len(text), 12)]
    for index, call in enumerate(message.get("tool_calls") or []):
        arguments = call["function"]["arguments"]
        start = {
            "index": index,
            "id": call["id"],
            "type": "function",
            "function": {"name": call["function"]["name"], "arguments": ""},
        }
        deltas.append({"tool_calls": [start]})
        deltas += [
            {"tool_calls": [{"index": index, "function": {"arguments": arguments[at : at + 12]}}]}
            for at in range(0, len(arguments), 12)
        ]
    for delta in deltas:
        yield {**base, "choices": [{"index": 0, "delta": delta, "logprobs": None, "finish_reason": None}]}
    yield {**base, "choices": [{"index": 0, "delta": {}, "logprobs": None, "finish_reason": only["finish_reason"]}]}
    if with_usage:
        yield {**base, "choices": [], "usage": whole["usage"]}
