"""What models are asked for and what they say: schemas, typed answers and turns of a talk.

Reading is tolerant of form: whatever stands around the one JSON object, and whichever way a value is plainly written.
What it says is judged strictly: a text becomes a typed value or a failure, and nothing that must be said is made up.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import lru_cache
from typing import Any

from pydantic import BaseModel, TypeAdapter, ValidationError

from agents.domain.models.failure import ErrorClass, Failure
from agents.domain.text.forms import Ambiguous, fit
from agents.domain.text.said_json import NoObject, find_object
from agents.domain.text.sanitize import EXACT, clean, cut, one_line
from agents.domain.text.synonyms import SYNONYMS
from agents.domain.text.unwrapping import unwrap
from agents.ports import Said, Shape, Tool

Message = Mapping[str, object]

NONCE = "answer_to"  # the field that carries the nonce of the question
_TAG = '{"const":null}'  # the first of the properties, before a question has its nonce
LONGEST = 400_000  # characters; no question of ours has a longer answer
QUOTED = 60  # characters of a value that are said back
_SAID = TypeAdapter(Said)
_AROUND_TAG = " \t\r\n'\"`“”‘’"
CACHE_MARK: dict[str, object] = {"cache_control": {"type": "ephemeral"}}


class BadAnswer(Exception):
    """The answer is no verdict. Says what kind of fault it has, for whoever asks again."""

    def __init__(self, error: ErrorClass, message: str) -> None:
        super().__init__(message)
        self.failure = Failure(error=error, message=message)


def read_answer(text: str | None, shape: type[Shape], nonce: str) -> Shape:
    """The one JSON object of the asked shape, tagged with the nonce of this very question. Raises BadAnswer."""
    value = _tagged(_one_object(text), shape, nonce)
    try:
        fitted = fit(value, _schema_of(shape), SYNONYMS)
        # as JSON again, for only there does strict mean: no number from text, but an enum from its name
        return shape.model_validate_json(json.dumps(fitted), strict=True, extra="ignore")
    except Ambiguous as error:
        raise BadAnswer(ErrorClass.VALIDATION, str(error)) from error
    except ValidationError as error:
        raise BadAnswer(ErrorClass.VALIDATION, _describe_faults(error)) from error


def _one_object(text: str | None) -> dict[str, Any]:
    if len(text or "") > LONGEST:
        raise BadAnswer(ErrorClass.PARSING, f"it is longer than {LONGEST} characters")
    try:
        return find_object(text or "", NONCE)
    except NoObject as error:
        raise BadAnswer(ErrorClass.PARSING, str(error)) from error


def _tagged(value: dict[str, Any], shape: type[BaseModel], nonce: str) -> dict[str, Any]:
    """Without the tag. Some put their answer into an object around it."""
    value = unwrap(value, NONCE, shape.model_fields)
    if str(value.get(NONCE, "")).strip(_AROUND_TAG).casefold() != nonce:
        raise BadAnswer(ErrorClass.PARSING, f'the field "{NONCE}" does not repeat the tag of this question')
    return {name: each for name, each in value.items() if name != NONCE}


@lru_cache(maxsize=64)
def _schema_of(shape: type[BaseModel]) -> dict[str, Any]:
    return shape.model_json_schema()


def _describe_faults(error: ValidationError) -> str:
    """At most five, each with what was written there, in a few words."""
    faults = list[str]()
    for each in error.errors(include_url=False)[:5]:
        given = each["input"]
        told = f", not {one_line(json.dumps(given, ensure_ascii=False), QUOTED)}" if _is_bare(given) else ""
        faults.append(f"{'.'.join(map(str, each['loc'])) or 'the answer'}: {each['msg']}{told}")
    return cut(clean("; ".join(faults)), 600)


def _is_bare(value: Any) -> bool:
    return isinstance(value, str | int | float) or value is None


@lru_cache(maxsize=64)
def plain_schema(shape: type[BaseModel]) -> str:
    """The JSON schema in as few words as possible: models need no titles, and every token is paid."""
    return json.dumps(_slim(shape.model_json_schema()), ensure_ascii=False, separators=(",", ":"))


def schema_for(shape: type[BaseModel], nonce: str) -> str:
    """The JSON schema as the model is shown it, with the tag it must repeat."""
    return _schema_without_tag(shape).replace(_TAG, f'{{"const":{json.dumps(nonce)}}}', 1)


@lru_cache(maxsize=64)
def _schema_without_tag(shape: type[BaseModel]) -> str:
    """All but the tag is the same for every question of a shape."""
    schema = json.loads(plain_schema(shape))
    schema["properties"] = {NONCE: {"const": None}, **schema.get("properties", {})}
    schema["required"] = [NONCE, *schema.get("required", [])]
    schema["additionalProperties"] = False
    return json.dumps(schema, ensure_ascii=False, separators=(",", ":"))


def _slim(schema: Any, *, names: bool = False) -> Any:
    """`names`: the keys here are the schema's own field names, which may be "title" too."""
    if isinstance(schema, list):
        return [_slim(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    noise: tuple[str, ...] = () if names else ("title", "default", EXACT)
    if not names and {"properties", "enum"} & schema.keys():
        noise += ("description",)  # a class's docstring, written for people; a field's own is meant for the model
    return {
        key: _slim(value, names=not names and key in ("properties", "$defs"))
        for key, value in schema.items()
        if key not in noise
    }


@lru_cache(maxsize=16)
def tool_schemas(tools: tuple[Tool, ...]) -> str:
    """JSON, as OpenAI writes functions; made once, for the same tools come with every turn."""
    functions = [{"name": tool.name, "description": tool.does, "parameters": _parameters(tool)} for tool in tools]
    return json.dumps([{"type": "function", "function": function} for function in functions])


_BOUNDS = frozenset({"minLength", "maxLength", "minimum", "maximum", "exclusiveMinimum", "maxItems"})


def _lean(schema: Any) -> Any:
    """Without bounds that are checked when a tool is called and that no sensible call comes near: each costs tokens in
    every turn. What may be left out need not be null."""
    if isinstance(schema, list):
        return [_lean(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    kinds = [kind for kind in schema.get("anyOf", ()) if kind != {"type": "null"}]
    rest = {
        key: _lean(value) for key, value in schema.items() if key not in _BOUNDS or not isinstance(value, int | float)
    }
    return {**_lean(kinds[0]), **{key: rest[key] for key in rest if key != "anyOf"}} if len(kinds) == 1 else rest


def _parameters(tool: Tool) -> dict[str, object]:
    schema: dict[str, object] = _lean(json.loads(plain_schema(tool.takes)))
    return {**schema, "type": "object", "properties": schema.get("properties", {}), "additionalProperties": False}


def text_of(said: Said) -> str:
    kept = {"text": said.text, "calls": [asdict(call) for call in said.calls]}
    return json.dumps(kept)  # in ASCII: half a character that a model wrote must not break the store


def said_of(text: str) -> Said:
    """What was kept was said before."""
    told = json.loads(text)
    return _SAID.validate_python({**told, "calls": tuple(told["calls"]), "again": True})


def size_of(messages: Sequence[Message]) -> int:
    """Bytes, roughly; nothing is encoded for it where it is plain."""
    return sum(_size(message) for message in messages)


def _size(message: Message) -> int:
    content = message.get("content")
    size = _bytes(content) if isinstance(content, str) else 0
    calls = message.get("tool_calls")
    if isinstance(calls, list):
        size += sum(_bytes(call["function"]["arguments"]) + 60 for call in calls)
    return size


def _bytes(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode(errors="replace"))


def marked_talk(messages: Sequence[Message]) -> list[Message]:
    """Marks at the end of what never changes and at the end of what was said so far. The messages stay as they are."""
    made = list(messages)
    for place in {0, 1, len(made) - 1} if len(made) > 1 else {0}:
        made[place] = _mark(made[place])
    return made


def marked_end(messages: Sequence[Message]) -> list[Message]:
    """What was said after a question, with a mark at its end; the question has marks of its own."""
    return [*messages[:-1], *map(_mark, messages[-1:])]


def _mark(message: Message) -> Message:
    content = message.get("content")
    if not isinstance(content, str) or not content or message.get("tool_calls"):
        return message
    if message.get("role") == "tool":
        return {**message, **CACHE_MARK}
    return {**message, "content": [{"type": "text", "text": content, **CACHE_MARK}]}
