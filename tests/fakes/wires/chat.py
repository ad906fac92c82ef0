"""OpenAI's chat completions on the wire: what a request may hold, and how answers and errors look."""

import re
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, ValidationError

from tests.fakes.wires.shape import Heard, Json, Made, Refused, Strict, Wire, event, load, place_of, split
from tests.fakes.wires.strict_schema import check_strict

CREATED = 1_760_000_000


class TextPart(Strict):
    type: Literal["text"]
    text: Annotated[str, Field(min_length=1)]
    cache_control: dict[str, str] | None = None  # of those who pass it on


Content = Annotated[str, Field()] | Annotated[list[TextPart], Field(min_length=1)]


class Function(Strict):
    name: Annotated[str, Field(pattern=r"^[a-zA-Z0-9_-]{1,64}$")]
    description: str = ""
    parameters: dict[str, Any] = Field(default_factory=dict)
    strict: bool | None = None


class Tool(Strict):
    type: Literal["function"]
    function: Function


class Called(Strict):
    name: str
    arguments: str


class ToolCall(Strict):
    id: Annotated[str, Field(min_length=1)]
    type: Literal["function"]
    function: Called


class System(Strict):
    role: Literal["system", "developer"]
    content: Content
    name: str | None = None


class User(Strict):
    role: Literal["user"]
    content: Content
    name: str | None = None


class Assistant(Strict):
    role: Literal["assistant"]
    content: Content | None = None
    tool_calls: Annotated[list[ToolCall], Field(min_length=1)] | None = None
    refusal: str | None = None
    name: str | None = None


class ToolResult(Strict):
    role: Literal["tool"]
    content: Content
    tool_call_id: str
    cache_control: dict[str, str] | None = None


class ResponseFormat(Strict):
    type: Literal["text", "json_object", "json_schema"]
    json_schema: dict[str, Any] | None = None


class StreamOptions(Strict):
    include_usage: bool = False


class Asked(Strict):
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


_THINKING = re.compile(r"(gpt-5|o\d)")


def _check(asked: Asked) -> None:
    if asked.max_tokens and asked.max_completion_tokens:
        raise Refused(400, "max_tokens and max_completion_tokens cannot both be set")
    if _THINKING.match(asked.model):
        _check_thinking(asked)
    if asked.response_format and asked.response_format.type == "json_object" and "json" not in said(asked).lower():
        raise Refused(
            400, "'messages' must contain the word 'json' in some form, to use 'response_format' json_object."
        )
    if asked.response_format and (asked.response_format.type == "json_schema") != bool(
        asked.response_format.json_schema
    ):
        raise Refused(400, "Missing or surplus parameter: 'response_format.json_schema'.")
    if asked.response_format and asked.response_format.json_schema:
        check_strict(asked.response_format.json_schema)
    if asked.stream_options and not asked.stream:
        raise Refused(400, "The 'stream_options' parameter is only allowed when 'stream' is enabled.")
    if asked.tool_choice and not asked.tools:
        raise Refused(400, "'tool_choice' is only allowed when 'tools' are specified.")
    _check_tools(asked)


def _check_thinking(asked: Asked) -> None:
    text = "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
    if asked.max_tokens:
        raise Refused(400, text, code="unsupported_parameter")
    if asked.temperature not in (None, 1):
        text = "Unsupported value: 'temperature' does not support this value with this model. Only 1 is supported."
        raise Refused(400, text, code="unsupported_value")


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
        return "\n".join(part.text for part in content)
    return content or ""


def said(asked: Asked) -> str:
    return "\n".join(text_of(message.content) for message in asked.messages)


class Chat(Wire):
    """As OpenAI serves it itself."""

    provider = "openai"
    model = "gpt-5.4"
    base = "/v1"
    posts: tuple[str, ...] = ("/v1/chat/completions",)
    asked: ClassVar[type[Asked]] = Asked
    takes_marks = False

    def check_key(self, headers: Mapping[str, str]) -> None:
        given = headers.get("Authorization", "")
        if not given:
            raise Refused(401, "You didn't provide an API key.")
        if self.wrong_key(headers, "Authorization", "Bearer "):
            raise Refused(401, f"Incorrect API key provided: {given[7:11]}***.", code="invalid_api_key")
        if headers.get("Content-Type", "").partition(";")[0] != "application/json":
            raise Refused(400, "Content-Type must be application/json")

    def read(self, path: str, body: bytes) -> Heard:
        asked, given = self.parse(body)
        format = asked.response_format
        return Heard(
            model=asked.model,
            talk=[_plain(message) for message in asked.messages],
            body=given,
            stream=bool(asked.stream),
            with_usage=bool(asked.stream_options and asked.stream_options.include_usage),
            most=asked.max_completion_tokens or asked.max_tokens,
            tools=tuple(tool.function.name for tool in asked.tools or ()),
            schema=(format.json_schema or {}).get("schema") if format else None,
            json_mode=bool(format and format.type != "text"),
            thinks=False,
        )

    def parse(self, body: bytes) -> tuple[Asked, Json]:
        try:
            given = load(body)
        except ValueError as error:
            raise Refused(400, "We could not parse the JSON body of your request.") from error
        try:
            asked = self.asked.model_validate_json(body)
        except ValidationError as error:
            where, kind, what = place_of(error)
            unknown = kind == "extra_forbidden"
            raise Refused(
                400,
                f"Unrecognized request argument supplied: {where}"
                if unknown
                else f"Invalid value for '{where}': {what}",
            ) from error
        if asked.model not in self.host.models:
            text = f"The model `{asked.model}` does not exist or you do not have access to it."
            raise Refused(404, text, code="model_not_found")
        if not self.takes_marks and b'"cache_control"' in body:
            raise Refused(400, "Unrecognized request argument supplied: cache_control")
        _check(asked)
        return asked, given

    def whole(self, heard: Heard, made: Made) -> Json:
        return {
            "id": f"chatcmpl-{made.number}",
            "object": "chat.completion",
            "created": CREATED,
            "model": made.model,
            "choices": [_choice(self.message(made), made.finish, at) for at in range(made.choices)],
            "usage": self.usage(made),
            "system_fingerprint": "fp_fake",
        }

    def message(self, made: Made) -> Json:
        message: Json = {"role": "assistant", "content": made.text, "refusal": made.refusal}
        if made.calls:
            message["tool_calls"] = [
                {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}
                for id, name, arguments in made.calls
            ]
        return message

    def usage(self, made: Made) -> Json:
        written = made.written + made.thought
        return {
            "prompt_tokens": made.tokens,
            "completion_tokens": written,
            "total_tokens": made.tokens + written,
            "prompt_tokens_details": {"cached_tokens": made.cached, "audio_tokens": 0},
            "completion_tokens_details": {"reasoning_tokens": made.thought, "audio_tokens": 0},
        }

    def pieces(self, heard: Heard, made: Made) -> Iterator[bytes]:
        whole = self.whole(heard, made)
        used = whole.pop("usage")
        base = {**whole, "object": "chat.completion.chunk"}
        for delta in self.deltas(made):
            yield event({**base, "choices": [_part(delta, None)]})
        yield event({**base, "choices": [_part({}, made.finish)]})
        if heard.with_usage:
            yield event({**base, "choices": [], "usage": used})
        yield b"data: [DONE]\n\n"

    def deltas(self, made: Made) -> Iterator[Json]:
        yield {"role": "assistant", "content": ""}
        yield from ({"content": piece} for piece in split(made.text or ""))
        for index, (id, name, arguments) in enumerate(made.calls):
            start = {"index": index, "id": id, "type": "function", "function": {"name": name, "arguments": ""}}
            yield {"tool_calls": [start]}
            for piece in split(arguments):
                yield {"tool_calls": [{"index": index, "function": {"arguments": piece}}]}

    def error(self, refused: Refused) -> object:
        kind = refused.kind or ("invalid_request_error" if refused.status < 500 else "server_error")
        return {"error": {"message": refused.message, "type": kind, "param": None, "code": refused.code}}

    def overflow(self, heard: Heard, tokens: int) -> Refused | None:
        most = self.host.window
        text = (
            f"This model's maximum context length is {most} tokens. However, your messages resulted in {tokens} tokens."
        )
        return Refused(400, f"{text} Please reduce the length of the messages.", code="context_length_exceeded")

    def about(self) -> dict[str, Json]:
        data = [self.card(name) for name in self.host.models]
        return {"/v1/models": {"object": "list", "data": data}}

    def card(self, name: str) -> Json:
        return {"id": name, "object": "model", "created": 0, "owned_by": "fake"}


def _plain(message: System | User | Assistant | ToolResult) -> Json:
    made: Json = {"role": message.role, "content": text_of(message.content)}
    if isinstance(message, Assistant) and message.tool_calls:
        made["tool_calls"] = [(call.id, call.function.name, call.function.arguments) for call in message.tool_calls]
    return made


def _choice(message: Json, finish: str | None, index: int) -> Json:
    return {"index": index, "message": message, "logprobs": None, "finish_reason": finish}


def _part(delta: Json, finish: str | None) -> Json:
    return {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
