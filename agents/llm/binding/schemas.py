"""Schemas that a provider binds an answer to: they say what is wanted, in the forms that providers take.

`closed_schema`: one of several shapes, each with what it cannot be without, for servers that take any JSON schema.
`strict_schema`: one object with every field required and nullable, for providers that take no choice at the top.
Both are read by the same reader as any answer; what they say is judged in the same way.
"""

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from pydantic import BaseModel

from agents.domain.text.sanitize import EXACT

MOST_ITEMS = 12  # of a list: small models write on and on
_WORDY = frozenset({"title", "default", "description", EXACT})
# What strict schemas have no words for; our reader holds the bounds.
_UNTOLD = frozenset({"minLength", "maxLength", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"})
Schema = dict[str, Any]


def closed_schema(shape: type[BaseModel], name: str, nonce: str) -> str:
    """`name`: of the field that carries the nonce."""
    return _with_tag(_closed(shape), name, nonce)


@lru_cache(maxsize=64)
def strict_schema(shape: type[BaseModel], name: str) -> str:
    """The same for all questions of a shape, for what differs here is what a provider could not keep: it stands before
    all words. That the tag is right is seen when it is read."""
    return _with_tag(json.dumps(_nullable(_inlined(shape))), name, None)


def _with_tag(schema: str, name: str, nonce: str | None) -> str:
    """The tag is the first field of each shape. Enums are known everywhere, `const` is not."""
    made = json.loads(schema)
    tag = {"type": "string"} if nonce is None else {"type": "string", "enum": [nonce]}
    for part in made.get("anyOf", [made]):
        part["properties"] = {name: tag, **part["properties"]}
        part["required"] = [name, *part["required"]]
    return json.dumps(made, ensure_ascii=False, separators=(",", ":"))


@lru_cache(maxsize=64)
def _closed(shape: type[BaseModel]) -> str:
    whole = _inlined(shape)
    choices: Mapping[str, tuple[str, ...]] = getattr(shape, "NEEDS", {})
    if not choices:
        return json.dumps(_object(whole["properties"], whole.get("required", ())))
    # the type says nothing that the shapes do not say; some servers want it at the top
    return json.dumps(
        {"type": "object", "anyOf": [_one_shape(shape, whole, word, needs) for word, needs in choices.items()]}
    )


def _one_shape(shape: type[BaseModel], whole: Schema, word: str, needs: tuple[str, ...]) -> Schema:
    """For one word of the field that they differ by. `ALONE` names what else belongs to it, where not all does."""
    field: str = getattr(shape, "BY", "")
    alone: tuple[str, ...] | None = getattr(shape, "ALONE", {}).get(word)
    belongs = {field, *needs, *(whole["properties"] if alone is None else alone)}
    fields = {name: part for name, part in whole["properties"].items() if name in belongs}
    fields[field] = {"type": "string", "enum": [word]}
    for name in needs:
        least = "minItems" if fields[name].get("type") == "array" else "minLength"
        fields[name] = {**fields[name], least: 1}
    required = [*whole.get("required", ()), *needs]
    return _object(fields, [name for name in fields if name in required])


def _object(fields: Schema, required: Any) -> Schema:
    return {"type": "object", "properties": fields, "required": list(required), "additionalProperties": False}


def _nullable(schema: Any) -> Any:
    """Every field required; what may be left out may be null."""
    if isinstance(schema, list):
        return [_nullable(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    made = {key: _nullable(value) for key, value in schema.items() if key not in _UNTOLD}
    if isinstance(fields := schema.get("properties"), dict):
        required = schema.get("required", ())
        made["properties"] = {
            name: _nullable(part) if name in required else _or_null(_nullable(part)) for name, part in fields.items()
        }
        made |= {"required": list(fields), "additionalProperties": False}
    return made


def _or_null(schema: Schema) -> Schema:
    if any(kind == {"type": "null"} for kind in schema.get("anyOf", ())):
        return schema
    return {"anyOf": [schema, {"type": "null"}]}


def _inlined(shape: type[BaseModel]) -> Schema:
    """Without references, words for people, and long lists."""
    whole = shape.model_json_schema()
    made: Schema = _inline(whole, whole.get("$defs", {}))
    return made


def _inline(schema: Any, parts: Mapping[str, Any], *, names: bool = False) -> Any:
    if isinstance(schema, list):
        return [_inline(each, parts) for each in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        return _inline(parts[schema["$ref"].rpartition("/")[2]], parts)
    kept = {
        key: _inline(value, parts, names=not names and key == "properties")
        for key, value in schema.items()
        if names or (key not in _WORDY and key != "$defs")
    }
    if not names and "enum" in kept:
        kept["type"] = "string"
    if not names and kept.get("type") == "array":
        kept["maxItems"] = min(kept.get("maxItems", MOST_ITEMS), MOST_ITEMS)
    if not names and kept.get("type") == "object":
        kept["additionalProperties"] = False
    return kept
