"""The schemas that OpenAI binds decoding to: every field is required, and none may come beside them."""

import re
from collections.abc import Iterator

from tests.fakes.wires.shape import Json, Refused

REFUSED = ("oneOf", "allOf", "not", "if", "patternProperties")


def check_strict(format: Json) -> None:
    if not re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", str(format.get("name", ""))):
        raise Refused(400, "Invalid 'response_format.json_schema.name': string does not match pattern.")
    schema = format.get("schema")
    if not isinstance(schema, dict) or schema.get("type") != "object":
        raise Refused(400, "Invalid schema for response_format: schema must be a JSON Schema of 'type: \"object\"'.")
    for place, part in _parts(schema, "") if format.get("strict") else ():
        if why := _fault(part):
            text = f"Invalid schema for response_format: In context={place}, {why}"
            raise Refused(400, text, code="invalid_json_schema")


def _parts(part: object, place: str) -> Iterator[tuple[str, Json]]:
    """Every schema in it. Names of fields are no words of a schema."""
    if isinstance(part, list):
        for each in part:
            yield from _parts(each, place)
    if not isinstance(part, dict):
        return
    yield place, part
    for name, each in part.items():
        named = name in ("properties", "$defs") and isinstance(each, dict)
        for key, value in each.items() if named else ((name, each),):
            yield from _parts(value, f"{place}.{key}")


def _fault(part: Json) -> str:
    if word := next((word for word in REFUSED if word in part), ""):
        return f"'{word}' is not permitted."
    if "properties" not in part:
        return ""
    if part.get("additionalProperties") is not False:
        return "'additionalProperties' is required to be supplied and to be false."
    missing = [name for name in part["properties"] if name not in part.get("required", [])]
    return f"'required' must include every key in properties. Missing '{missing[0]}'." if missing else ""
