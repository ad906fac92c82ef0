"""OpenAI's Responses on the wire: items instead of messages, and thinking as an item of its own."""

from collections.abc import Iterator
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationError

from tests.fakes.wires.chat import CREATED, Chat
from tests.fakes.wires.shape import Heard, Json, Made, Refused, Strict, event, load, place_of, split
from tests.fakes.wires.strict_schema import check_strict

LONGEST_ID = 64


class InputText(Strict):
    type: Literal["input_text", "output_text"]
    text: str
    annotations: list[dict[str, Any]] | None = None


class Message(Strict):
    type: Literal["message"] = "message"
    role: Literal["user", "assistant", "system", "developer"]
    content: str | list[InputText]
    id: str | None = None
    status: str | None = None


class FunctionCall(Strict):
    type: Literal["function_call"]
    call_id: Annotated[str, Field(min_length=1, max_length=LONGEST_ID)]
    name: Annotated[str, Field(pattern=r"^[a-zA-Z0-9_-]{1,64}$")]
    arguments: str
    id: str | None = None
    status: str | None = None
    namespace: str | None = None


class CallOutput(Strict):
    type: Literal["function_call_output"]
    call_id: Annotated[str, Field(min_length=1, max_length=LONGEST_ID)]
    output: str | list[InputText]
    id: str | None = None
    status: str | None = None


class Reasoning(Strict):
    type: Literal["reasoning"]
    id: str
    summary: list[dict[str, Any]]
    encrypted_content: str | None = None


Item = Message | FunctionCall | CallOutput | Reasoning


class Tool(Strict):
    type: Literal["function"]
    name: Annotated[str, Field(pattern=r"^[a-zA-Z0-9_-]{1,64}$")]
    description: str | None = None
    parameters: dict[str, Any]
    strict: bool | None = None


class Namespace(Strict):
    """Tools that belong together, under a name of their own."""

    type: Literal["namespace"]
    name: str
    description: str | None = None
    tools: list[Tool]


class Custom(Strict):
    """A tool that takes text instead of JSON."""

    type: Literal["custom"]
    name: str
    description: str | None = None
    format: dict[str, Any] | None = None


class Format(Strict):
    type: Literal["text", "json_object", "json_schema"]
    name: str | None = None
    description: str | None = None
    strict: bool | None = None
    schema_: Annotated[dict[str, Any] | None, Field(alias="schema")] = None


class Text(Strict):
    format: Format | None = None


class Asked(Strict):
    model: str
    input: str | list[Item]
    instructions: str | None = None
    max_output_tokens: Annotated[int, Field(ge=16)] | None = None
    tools: list[Annotated[Tool | Namespace | Custom, Field(discriminator="type")]] | None = None
    tool_choice: Literal["none", "auto", "required"] | dict[str, Any] | None = None
    parallel_tool_calls: bool | None = None
    text: Text | None = None
    stream: bool | None = None
    store: bool | None = None
    temperature: Annotated[float, Field(ge=0, le=2)] | None = None
    reasoning: dict[str, Any] | None = None
    include: list[str] | None = None
    prompt_cache_key: str | None = None


class Responses(Chat):
    """The same server and keys as chat has."""

    provider = "openai/responses"
    posts: tuple[str, ...] = ("/v1/responses",)

    def read(self, path: str, body: bytes) -> Heard:
        try:
            given = load(body)
            asked = Asked.model_validate_json(body)
        except ValidationError as error:
            where, kind, what = place_of(error)
            text = f"Unknown parameter: '{where}'." if kind == "extra_forbidden" else f"Invalid '{where}': {what}"
            raise Refused(400, text) from error
        except ValueError as error:
            raise Refused(400, "We could not parse the JSON body of your request.") from error
        if asked.model not in self.host.models:
            raise Refused(400, f"The requested model '{asked.model}' does not exist.", code="model_not_found")
        items: list[Item] = [Message(role="user", content=asked.input)] if isinstance(asked.input, str) else asked.input
        _check_calls(items)
        format = asked.text.format if asked.text else None
        if format and format.type == "json_schema":
            check_strict({"name": format.name, "schema": format.schema_, "strict": format.strict})
        head = [{"role": "system", "content": asked.instructions}] if asked.instructions else []
        return Heard(
            model=asked.model,
            talk=[*head, *_talk(items)],
            body=given,
            stream=bool(asked.stream),
            most=asked.max_output_tokens,
            tools=tuple(tool.name for tool in asked.tools or ()),
            schema=format.schema_ if format else None,
            json_mode=bool(format and format.type != "text"),
        )

    def whole(self, heard: Heard, made: Made) -> Json:
        cut = {"length": "max_output_tokens", "content_filter": "content_filter"}.get(made.finish or "")
        written = made.written + made.thought
        return {
            "id": f"resp_{made.number}",
            "object": "response",
            "created_at": CREATED,
            "status": "incomplete" if cut else "completed",
            "incomplete_details": {"reason": cut} if cut else None,
            "error": None,
            "model": made.model,
            "output": self._items(heard, made),
            "parallel_tool_calls": True,
            "tool_choice": "auto",
            "tools": [],
            "usage": {
                "input_tokens": made.tokens,
                "input_tokens_details": {"cached_tokens": made.cached},
                "output_tokens": written,
                "output_tokens_details": {"reasoning_tokens": made.thought},
                "total_tokens": made.tokens + written,
            },
        }

    def _items(self, heard: Heard, made: Made) -> list[Json]:
        items = list[Json]()
        if made.thinks:
            said = {"type": "summary_text", "text": made.thinks}
            items.append({"type": "reasoning", "id": f"rs_{made.number}", "summary": [said]})
        if made.text is not None:
            words = {"type": "output_text", "text": made.text, "annotations": []}
            items.append(
                {
                    "type": "message",
                    "id": f"msg_{made.number}",
                    "role": "assistant",
                    "status": "completed",
                    "content": [words],
                }
            )
        for id, name, arguments in made.calls:
            space = next((each for each in heard.tools if name.startswith(f"{each}__")), "")
            named = {"name": name.removeprefix(f"{space}__"), "namespace": space} if space else {"name": name}
            called = {"type": "function_call", "id": f"fc_{id}", "call_id": id, **named, "arguments": arguments}
            items.append({**called, "status": "completed"})
        return items

    def pieces(self, heard: Heard, made: Made) -> Iterator[bytes]:
        whole = self.whole(heard, made)

        def of(kind: str, **more: object) -> bytes:
            return event({"type": kind, **more}, kind)

        yield of("response.created", response={**whole, "status": "in_progress", "output": []})
        for at, item in enumerate(whole["output"]):
            place = {"output_index": at, "item_id": item["id"]}
            empty = {**item, "content": []} if item["type"] == "message" else {**item, "arguments": ""}
            yield of("response.output_item.added", output_index=at, item=empty)
            if item["type"] == "message":
                for piece in split(made.text or ""):
                    yield of("response.output_text.delta", **place, content_index=0, delta=piece)
            if item["type"] == "function_call":
                for piece in split(item["arguments"]):
                    yield of("response.function_call_arguments.delta", **place, delta=piece)
            yield of("response.output_item.done", output_index=at, item=item)
        yield of("response.incomplete" if whole["incomplete_details"] else "response.completed", response=whole)


def _check_calls(items: list[Item]) -> None:
    called = {item.call_id for item in items if isinstance(item, FunctionCall)}
    told = {item.call_id for item in items if isinstance(item, CallOutput)}
    if missing := called - told:
        raise Refused(400, f"No tool output found for function call {missing.pop()}.")
    if missing := told - called:
        raise Refused(400, f"No tool call found for function call output with call_id {missing.pop()}.")


def _talk(items: list[Item]) -> Iterator[Json]:
    """As chat has it: calls that follow each other are of one turn."""
    turn: Json | None = None
    for item in items:
        if isinstance(item, FunctionCall):
            if turn is None:
                turn = {"role": "assistant", "content": ""}
                yield turn
            turn.setdefault("tool_calls", []).append((item.call_id, item.name, item.arguments))
            continue
        turn = None
        if isinstance(item, Message):
            said: Json = {"role": item.role, "content": _words(item.content)}
            turn = said if item.role == "assistant" else None
            yield said
        elif isinstance(item, CallOutput):
            yield {"role": "tool", "content": _words(item.output)}


def _words(content: str | list[InputText]) -> str:
    return content if isinstance(content, str) else "".join(part.text for part in content)
