"""A model's text becomes a typed value or a failure. Nothing in between: no fragments, no second guesses."""

import json
import re
from functools import lru_cache
from typing import Any

from pydantic import BaseModel, ValidationError

from agents.domain.ids import fingerprint
from agents.domain.models.failure import ErrorClass, Failure
from agents.domain.text.sanitize import clean, cut, strictly
from agents.ports import Shape

NONCE = "answer_to"  # the field that carries the nonce of the question
LONGEST = 400_000  # characters; no question of ours has a longer answer
_BLOCK = re.compile(r"```[a-zA-Z]*[ \t]*\n(.*)\n[ \t]*```", re.DOTALL)


class BadAnswer(Exception):
    """The answer is no verdict. Says what kind of fault it has, for whoever asks again."""

    def __init__(self, error: ErrorClass, message: str) -> None:
        super().__init__(message)
        self.failure = Failure(error=error, message=message)


def read_answer(text: str | None, shape: type[Shape], nonce: str) -> Shape:
    """Exactly one JSON object of the asked shape, tagged with the nonce of this very question."""
    value = _one_value(text)
    if not isinstance(value, dict):
        raise BadAnswer(ErrorClass.PARSING, "it is not a JSON object")
    if value.pop(NONCE, None) != nonce:
        raise BadAnswer(ErrorClass.PARSING, f'the field "{NONCE}" does not repeat the tag of this question')
    try:
        # as JSON again, for only there does strict mean: no number from text, but an enum from its name
        return shape.model_validate_json(json.dumps(value), strict=True, extra="forbid")
    except ValidationError as error:
        raise BadAnswer(ErrorClass.VALIDATION, _describe_faults(error)) from error


def _one_value(text: str | None) -> Any:
    said = (text or "").strip()
    if not said:
        raise BadAnswer(ErrorClass.PARSING, "it is empty")
    if len(said) > LONGEST:
        raise BadAnswer(ErrorClass.PARSING, f"it is longer than {LONGEST} characters")
    block = _BLOCK.fullmatch(said)
    if not said.startswith("{") and not block:
        blocks = said.count("```") // 2
        what = f"it has {blocks} blocks and text around them" if blocks else "it is not JSON"
        raise BadAnswer(ErrorClass.PARSING, f"{what}; one JSON object and nothing else is allowed")
    try:
        return strictly(block[1] if block else said)
    except (ValueError, RecursionError) as error:
        raise BadAnswer(ErrorClass.PARSING, f"it is not one JSON value ({cut(str(error), 200)})") from error


def _describe_faults(error: ValidationError) -> str:
    faults = (f"{'.'.join(map(str, e['loc'])) or 'the answer'}: {e['msg']}" for e in error.errors()[:5])
    return cut(clean("; ".join(faults)), 600)


@lru_cache(maxsize=64)
def plain_schema(shape: type[BaseModel]) -> str:
    """The JSON schema in as few words as possible: models need no titles, and every token is paid."""
    return json.dumps(_slim(shape.model_json_schema()), ensure_ascii=False, separators=(",", ":"))


@lru_cache(maxsize=64)
def schema_print(shape: type[BaseModel]) -> str:
    """Differs where the schema does."""
    return fingerprint(plain_schema(shape))


def schema_for(shape: type[BaseModel], nonce: str) -> str:
    """The JSON schema as the model is shown it, with the tag it must repeat."""
    before, after = _around_tag(shape)
    return f"{before}{json.dumps(nonce)}{after}"


@lru_cache(maxsize=64)
def _around_tag(shape: type[BaseModel]) -> tuple[str, str]:
    """What stands before and behind the tag is the same for every question of a shape."""
    schema = json.loads(plain_schema(shape))
    schema["properties"] = {NONCE: {"const": None}, **schema.get("properties", {})}
    schema["required"] = [NONCE, *schema.get("required", [])]
    schema["additionalProperties"] = False
    before, found, after = json.dumps(schema, ensure_ascii=False, separators=(",", ":")).partition('{"const":null}')
    assert found, "the tag is the first of the properties"
    return before + '{"const":', "}" + after


def _slim(schema: Any, *, names: bool = False) -> Any:
    """`names`: the keys here are the schema's own field names, which may be "title" too."""
    if isinstance(schema, list):
        return [_slim(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    noise: tuple[str, ...] = () if names else ("title", "default")
    if not names and {"properties", "enum"} & schema.keys():
        noise += ("description",)  # a class's docstring, written for people; a field's own is meant for the model
    return {
        key: _slim(value, names=not names and key in ("properties", "$defs"))
        for key, value in schema.items()
        if key not in noise
    }
