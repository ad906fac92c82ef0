"""Ollama's own chat on the wire: lenient about what it does not know, silent about what it cuts off."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from tests.fakes.wires.shape import LETTERS_A_TOKEN, Heard, Json, Made, Refused, Wire, load, place_of, split

NUM_CTX = 4096  # where nobody says otherwise


class Lenient(BaseModel):
    """What it does not know it ignores; what it knows has its type."""

    model_config = ConfigDict(extra="ignore", strict=True)


class Function(Lenient):
    name: str
    arguments: dict[str, Any]


class ToolCall(Lenient):
    function: Function
    id: str = ""


class Message(Lenient):
    role: Literal["system", "user", "assistant", "tool"]
    content: str = ""
    thinking: str = ""
    tool_calls: list[ToolCall] | None = None
    tool_name: str = ""
    tool_call_id: str = ""


class Options(Lenient):
    num_ctx: int | None = None
    num_predict: int | None = None
    temperature: float | None = None


class Asked(Lenient):
    model: str
    messages: list[Message] = []
    tools: list[dict[str, Any]] | None = None
    format: Literal["json", ""] | dict[str, Any] | None = None
    options: Options | None = None
    stream: bool | None = None
    think: bool | Literal["low", "medium", "high"] | None = None
    keep_alive: str | int | None = None


class Ollama(Wire):
    provider = "ollama_chat"
    model = "qwen3:8b"
    posts = ("/api/chat",)
    media = "application/x-ndjson"

    def check_key(self, headers: Mapping[str, str]) -> None:
        """It asks for none."""

    def read(self, path: str, body: bytes) -> Heard:
        try:
            given = load(body)
            asked = Asked.model_validate_json(body)
        except ValidationError as error:
            where, _, what = place_of(error)
            raise Refused(400, f"json: cannot unmarshal into Go struct field ChatRequest.{where}: {what}") from error
        except ValueError as error:
            raise Refused(400, "invalid character in the request body") from error
        if asked.model not in self.host.models:
            raise Refused(404, f"model '{asked.model}' not found")
        if asked.tools and not self.host.tools:
            raise Refused(400, f"registry.ollama.ai/library/{asked.model} does not support tools")
        if asked.think and not self.host.thinking:
            raise Refused(400, f'"{asked.model}" does not support thinking')
        options = asked.options or Options()
        window = min(options.num_ctx or NUM_CTX, self.host.window)
        return Heard(
            model=asked.model,
            talk=_fitting([_plain(message) for message in asked.messages], window),
            body=given,
            stream=asked.stream is not False,
            most=options.num_predict if (options.num_predict or 0) > 0 else None,
            tools=tuple(tool["function"]["name"] for tool in asked.tools or ()),
            schema=asked.format if isinstance(asked.format, dict) else None,
            json_mode=asked.format == "json",
        )

    def whole(self, heard: Heard, made: Made) -> Json:
        message: Json = {"role": "assistant", "content": made.text or ""}
        if made.thinks:
            message["thinking"] = made.thinks
        if made.calls:
            message["tool_calls"] = list(_calls(made))
        return {**self._head(made), "message": message, **self._end(made)}

    def _head(self, made: Made) -> Json:
        return {"model": made.model, "created_at": "2026-01-02T03:04:05.678Z"}

    def _end(self, made: Made) -> Json:
        return {
            "done": True,
            "done_reason": "length" if made.finish == "length" else "stop",
            "total_duration": 2_000_000,
            "load_duration": 1_000,
            "prompt_eval_count": made.tokens,
            "prompt_eval_duration": 1_000_000,
            "eval_count": made.written + made.thought,
            "eval_duration": 1_000_000,
        }

    def pieces(self, heard: Heard, made: Made) -> Iterator[bytes]:
        """One JSON object a line."""
        said = [{"thinking": piece, "content": ""} for piece in split(made.thinks)]
        said += [{"content": piece} for piece in split(made.text or "")]
        parts: list[Json] = [{"role": "assistant", **each} for each in said]
        if made.calls:
            parts.append({"role": "assistant", "content": "", "tool_calls": list(_calls(made))})
        for part in parts:
            yield json.dumps({**self._head(made), "message": part, "done": False}).encode() + b"\n"
        last = {**self._head(made), "message": {"role": "assistant", "content": ""}, **self._end(made)}
        yield json.dumps(last).encode() + b"\n"

    def error(self, refused: Refused) -> object:
        return {"error": refused.message}

    def overflow(self, heard: Heard, tokens: int) -> Refused | None:
        return None

    def about(self) -> dict[str, Json]:
        return {"/api/tags": {"models": [{"name": name, "model": name} for name in self.host.models]}}

    def show(self, name: str) -> Json:
        able = ["completion", *(["tools"] if self.host.tools else []), *(["thinking"] if self.host.thinking else [])]
        info = {"general.architecture": "llama", "llama.context_length": self.host.window}
        return {"capabilities": able, "model_info": info, "details": {"family": "llama"}}


def _plain(message: Message) -> Json:
    made: Json = {"role": message.role, "content": message.content}
    if message.tool_calls:
        calls = [(call.id, call.function.name, json.dumps(call.function.arguments)) for call in message.tool_calls]
        made["tool_calls"] = calls
    return made


def _fitting(talk: list[Json], window: int) -> list[Json]:
    """The rules and the last message stay; what was said first goes first, and nobody is told."""
    room = window * LETTERS_A_TOKEN
    kept = list(talk)
    while sum(len(each["content"]) for each in kept) > room:
        old = next((each for each in kept[:-1] if each["role"] != "system"), None)
        if old is None:
            break
        kept.remove(old)
    for each in kept:
        each["content"] = each["content"][: max(0, room)]
        room -= len(each["content"])
    return kept


def _calls(made: Made) -> Iterator[Json]:
    for id, name, arguments in made.calls:
        try:
            given = json.loads(arguments or "{}")
        except ValueError:
            given = {}
        yield {"id": id, "function": {"name": name, "arguments": given if isinstance(given, dict) else {}}}
