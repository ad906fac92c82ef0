"""Gemini's generateContent on the wire: parts, a narrow kind of schema, and signatures of what it thought."""

import base64
import json
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field, ValidationError
from pydantic.alias_generators import to_camel

from tests.fakes.wires.shape import Heard, Json, Made, Refused, Strict, Wire, event, load, place_of, split

# Any call that this server did not make itself may carry it, as its documentation says.
SKIP = {"skip_thought_signature_validator", base64.b64encode(b"skip_thought_signature_validator").decode()}
SCHEMA = frozenset({
    "type", "format", "title", "description", "nullable", "enum", "maxItems", "minItems", "properties",
    "required", "minProperties", "maxProperties", "minLength", "maxLength", "pattern", "example", "anyOf",
    "propertyOrdering", "default", "items", "minimum", "maximum",
})  # fmt: skip


class Proto(Strict):
    """Names may be written in either way."""

    model_config = ConfigDict(extra="forbid", strict=True, alias_generator=to_camel, populate_by_name=True)


class Call(Proto):
    name: str
    args: dict[str, Any] = Field(default_factory=dict)
    id: str | None = None


class Result(Proto):
    name: str
    response: dict[str, Any]
    id: str | None = None


class Part(Proto):
    text: str | None = None
    thought: bool | None = None
    thought_signature: str | None = None
    function_call: Call | None = None
    function_response: Result | None = None


class Content(Proto):
    role: Literal["user", "model"] | None = None
    parts: Annotated[list[Part], Field(min_length=1)]


class Declared(Proto):
    name: Annotated[str, Field(pattern=r"^[a-zA-Z_][a-zA-Z0-9_.-]{0,63}$")]
    description: str = ""
    parameters: dict[str, Any] | None = None
    parameters_json_schema: dict[str, Any] | None = None


class Tool(Proto):
    function_declarations: list[Declared]


class Generation(Proto):
    temperature: Annotated[float, Field(ge=0, le=2)] | None = None
    top_p: float | None = None
    top_k: Annotated[int, Field(ge=1)] | None = None
    max_output_tokens: Annotated[int, Field(ge=1)] | None = None
    response_mime_type: Literal["text/plain", "application/json"] | None = None
    response_schema: dict[str, Any] | None = None
    response_json_schema: dict[str, Any] | None = None
    thinking_config: dict[str, Any] | None = None


class Asked(Proto):
    contents: Annotated[list[Content], Field(min_length=1)]
    system_instruction: Content | None = None
    tools: list[Tool] | None = None
    tool_config: dict[str, Any] | None = None
    generation_config: Generation | None = None
    safety_settings: list[dict[str, Any]] | None = None


STATUSES = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    429: "RESOURCE_EXHAUSTED",
    500: "INTERNAL",
    503: "UNAVAILABLE",
    504: "DEADLINE_EXCEEDED",
}
_ENDS = {"stop": "STOP", "length": "MAX_TOKENS", "tool_calls": "STOP", "content_filter": "SAFETY"}


class Gemini(Wire):
    provider = "gemini"
    model = "gemini-pro-latest"
    posts = ("/models/{model}:generateContent", "/models/{model}:streamGenerateContent")

    def check_key(self, headers: Mapping[str, str]) -> None:
        if self.wrong_key(headers, "x-goog-api-key"):
            raise Refused(400, "API key not valid. Please pass a valid API key.")

    def read(self, path: str, body: bytes) -> Heard:
        model, _, method = path.removeprefix("/models/").partition(":")
        try:
            given = load(body)
            asked = Asked.model_validate_json(body)
        except ValidationError as error:
            where, kind, what = place_of(error)
            name = where.rpartition(".")[2]
            text = f"Unknown name \"{name}\" at '{where}': Cannot find field." if kind == "extra_forbidden" else what
            raise Refused(400, f"Invalid JSON payload received. {text}") from error
        except ValueError as error:
            raise Refused(400, "Invalid JSON payload received. Expected an object key or }.") from error
        if model not in self.host.models:
            raise Refused(404, f"models/{model} is not found for API version v1beta, or is not supported.")
        made = asked.generation_config or Generation()
        self._check(asked, made)
        head = [{"role": "system", "content": _words(asked.system_instruction)}] if asked.system_instruction else []
        return Heard(
            model=model,
            talk=[*head, *_talk(asked.contents)],
            body=given,
            stream=method.startswith("stream"),
            most=made.max_output_tokens,
            tools=tuple(each.name for tool in asked.tools or () for each in tool.function_declarations),
            schema=made.response_schema or made.response_json_schema,
            json_mode=made.response_mime_type == "application/json",
        )

    def _check(self, asked: Asked, made: Generation) -> None:
        if (made.response_schema or made.response_json_schema) and made.response_mime_type != "application/json":
            raise Refused(400, "response_schema is only supported with response_mime_type application/json.")
        if asked.tools and made.response_mime_type == "application/json":
            raise Refused(400, "Function calling with a response mime type: 'application/json' is unsupported")
        _check_schema(made.response_schema or {}, "generation_config.response_schema")
        for each in (declared for tool in asked.tools or () for declared in tool.function_declarations):
            _check_schema(each.parameters or {}, f"tools[0].function_declarations[{each.name}].parameters")
        before = 0
        for content in asked.contents:
            told = sum(part.function_response is not None for part in content.parts)
            if told != before:
                raise Refused(
                    400,
                    "Please ensure that the number of function response parts is equal to the number of function call "
                    "parts of the function call turn.",
                )
            calls = [part for part in content.parts if part.function_call]
            before = len(calls)
            if calls and self.host.thinking:
                _check_signature(calls[0])

    def whole(self, heard: Heard, made: Made) -> Json:
        return self._answer(made, list(self._parts(made)), _ENDS.get(made.finish or "", made.finish))

    def _answer(self, made: Made, parts: list[Json], finish: str | None) -> Json:
        used = {
            "promptTokenCount": made.tokens,
            "candidatesTokenCount": made.written,
            "totalTokenCount": made.tokens + made.written + made.thought,
        }
        used |= {"cachedContentTokenCount": made.cached} if made.cached else {}
        used |= {"thoughtsTokenCount": made.thought} if made.thinks else {}
        candidate: Json = {"content": {"role": "model", "parts": parts}, "index": 0}
        candidate |= {"finishReason": finish} if finish else {}
        return {"candidates": [candidate], "usageMetadata": used, "modelVersion": made.model}

    def _parts(self, made: Made) -> Iterator[Json]:
        """Thoughts stay with it unless they are asked for; what it called carries their signature."""
        if made.text:
            yield {"text": made.text}
        for at, (id, name, arguments) in enumerate(made.calls):
            call = {"functionCall": {"name": name, "args": _arguments(arguments)}}
            yield {**call, **({"thoughtSignature": signature(id)} if made.thinks and at == 0 else {})}

    def pieces(self, heard: Heard, made: Made) -> Iterator[bytes]:
        for piece in split(made.text or ""):
            yield event(self._answer(made, [{"text": piece}], None))
        calls = [part for part in self._parts(made) if "functionCall" in part]
        yield event(self._answer(made, calls or [{"text": ""}], _ENDS.get(made.finish or "", made.finish)))

    def error(self, refused: Refused) -> object:
        error: Json = {
            "code": refused.status,
            "message": refused.message,
            "status": STATUSES.get(refused.status, "UNKNOWN"),
        }
        return {"error": {**error, **({"details": refused.more["details"]} if "details" in refused.more else {})}}

    def overflow(self, heard: Heard, tokens: int) -> Refused | None:
        most = self.host.window
        return Refused(400, f"The input token count ({tokens}) exceeds the maximum number of tokens allowed ({most}).")

    def about(self) -> dict[str, Json]:
        return {
            f"/models/{name}": {
                "name": f"models/{name}",
                "inputTokenLimit": self.host.window,
                "outputTokenLimit": 65_536,
                "supportedGenerationMethods": ["generateContent"],
            }
            for name in self.host.models
        }


def signature(id: str) -> str:
    """Longer than an id may be elsewhere."""
    return base64.b64encode(f"what was thought before {id} was called, and nobody else may read".encode()).decode()


def _check_signature(call: Part) -> None:
    given = call.thought_signature
    if not given:
        name = call.function_call.name if call.function_call else ""
        raise Refused(400, f"Function call is missing a thought_signature in functionCall parts: {name}.")
    if given in SKIP or base64.b64decode(given, validate=False).startswith(b"what was thought before "):
        return
    raise Refused(400, "Corrupted thought signature.")


def _check_schema(schema: Mapping[str, Any], place: str) -> None:
    """A part of OpenAPI's, without references and constants."""
    for name, value in schema.items():
        if name not in SCHEMA:
            raise Refused(
                400, f"Invalid JSON payload received. Unknown name \"{name}\" at '{place}': Cannot find field."
            )
        inner: dict[str, Any] = {"properties": value, "items": {"": value}}.get(name, {}) if value else {}
        for key, each in inner.items():
            _check_schema(each, f"{place}.{name}.{key}".rstrip("."))
        for at, each in enumerate(value if name == "anyOf" else ()):
            _check_schema(each, f"{place}.any_of[{at}]")


def _arguments(text: str) -> Json:
    try:
        made = json.loads(text or "{}")
    except ValueError:
        made = {}
    return made if isinstance(made, dict) else {}


def _words(content: Content) -> str:
    return "".join(part.text or "" for part in content.parts)


def _talk(contents: list[Content]) -> Iterator[Json]:
    for content in contents:
        for part in content.parts:
            if part.function_response:
                told = part.function_response.response
                yield {"role": "tool", "content": told["content"] if told.keys() == {"content"} else json.dumps(told)}
        calls = [
            (part.function_call.id or "", part.function_call.name, json.dumps(part.function_call.args))
            for part in content.parts
            if part.function_call
        ]
        role = "assistant" if content.role == "model" else "user"
        if calls or _words(content):
            yield {"role": role, "content": _words(content), **({"tool_calls": calls} if calls else {})}
