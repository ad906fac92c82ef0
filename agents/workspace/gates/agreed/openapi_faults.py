"""What is wrong with an OpenAPI document, for projects that bring no validator of their own.

It runs as text in the gate sandbox, beside validators.py, so it uses nothing of ours but the library jsonschema.
"""

import re
from collections.abc import Iterator
from typing import Any

METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace")
BESIDE = ("parameters", "summary", "description", "servers", "$ref")
EXAMPLES = ("example", "examples", "default", "const", "enum")  # what stands in them is nobody's part
PLACES = ("query", "header", "path", "cookie")


def openapi_faults(body: dict[str, Any]) -> list[str]:
    """Lines; none: it is an OpenAPI 3.0 or 3.1 document, every part of it that is named is there, and its schemas are
    schemas."""
    version = str(body.get("openapi", ""))
    if not re.fullmatch(r"3\.[01]\.\d+", version):
        return ["openapi: write 3.0.x or 3.1.x, not " + (version or "nothing")]
    found = [*_info(body), *_paths(body, version), *_references(body, body, "#"), *_schemas(body, version, "#")]
    return list(dict.fromkeys(found))


def _info(body: dict[str, Any]) -> Iterator[str]:
    info = body.get("info")
    for name in ("title", "version"):
        if not isinstance(info, dict) or not isinstance(info.get(name), str):
            yield "info: it needs a `" + name + "` that is text"


def _paths(body: dict[str, Any], version: str) -> Iterator[str]:
    paths = body.get("paths")
    if paths is None and version.startswith("3.1") and ("components" in body or "webhooks" in body):
        return
    if not isinstance(paths, dict):
        yield "paths: it is missing, or no mapping"
        return
    known: set[str] = set()
    for path, item in paths.items():
        if not str(path).startswith("/") and not str(path).startswith("x-"):
            yield "paths: `" + str(path) + "` does not begin with /"
        elif isinstance(item, dict):
            for line in _item(body, str(path), item, version, known):
                yield "paths " + str(path) + line
        elif not str(path).startswith("x-"):
            yield "paths " + str(path) + ": it is no mapping"


def _item(body: dict[str, Any], path: str, item: dict[str, Any], version: str, known: set[str]) -> Iterator[str]:
    for name, operation in item.items():
        if name in METHODS:
            if not isinstance(operation, dict):
                yield " " + name + ": it is no mapping"
                continue
            for line in _operation(body, path, item, operation, version):
                yield " " + name + line
            said = operation.get("operationId")
            if said is not None and said in known:
                yield " " + name + ": its operationId `" + str(said) + "` is another's, too"
            known.add(str(said))
        elif name not in BESIDE and not str(name).startswith("x-"):
            yield ": `" + str(name) + "` is no method"


def _operation(
    body: dict[str, Any], path: str, item: dict[str, Any], operation: dict[str, Any], version: str
) -> Iterator[str]:
    responses = operation.get("responses")
    if isinstance(responses, dict) and responses:
        yield from _responses(responses)
    elif responses is not None or version.startswith("3.0"):
        yield ": it needs `responses`"
    wanted = operation.get("requestBody")
    if wanted is not None and not (isinstance(wanted, dict) and {"$ref", "content"} & set(wanted)):
        yield " requestBody: it needs `content`"
    both = [_resolved(body, each) for part in (item, operation) for each in _list(part.get("parameters"))]
    given = [each for each in both if each is not None]
    yield from _parameters(given)
    named = {(each.get("in"), each.get("name")) for each in given}
    for name in re.findall(r"\{([^{}/]+)\}", path):
        if ("path", name) not in named:
            yield ": nothing says what `{" + name + "}` in its path is"


def _responses(responses: dict[str, Any]) -> Iterator[str]:
    for code, response in responses.items():
        if not re.fullmatch(r"[1-5](\d\d|XX)|default|x-.*", str(code)):
            yield " responses: `" + str(code) + "` is no status"
        elif not isinstance(response, dict) or not {"$ref", "description"} & set(response):
            yield " responses " + str(code) + ": it needs a `description`"


def _parameters(given: list[dict[str, Any]]) -> Iterator[str]:
    for each in given:
        name, place = str(each.get("name", "")), str(each.get("in", ""))
        if not name or place not in PLACES or not {"schema", "content"} & set(each):
            yield " parameters `" + name + "`: it needs `name`, `in` (" + ", ".join(PLACES) + ") and `schema`"
        elif place == "path" and each.get("required") is not True:
            yield " parameters `" + name + "`: what stands in the path is `required: true`"


def _list(value: Any) -> list[Any]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def _resolved(body: dict[str, Any], part: dict[str, Any]) -> Any:
    if "$ref" not in part:
        return part
    found = _at(body, str(part["$ref"]))
    return found if isinstance(found, dict) else None


def _at(body: Any, reference: str) -> Any:
    here = body
    for part in reference.partition("#")[2].split("/")[1:]:
        part = part.replace("~1", "/").replace("~0", "~")
        if isinstance(here, list) and part.isdigit() and int(part) < len(here):
            here = here[int(part)]
        elif isinstance(here, dict) and part in {str(key) for key in here}:
            here = next(value for key, value in here.items() if str(key) == part)
        else:
            return None
    return here


def _references(body: dict[str, Any], here: Any, way: str) -> Iterator[str]:
    """What lies in other files is not looked at."""
    if isinstance(here, list):
        for at, each in enumerate(here):
            yield from _references(body, each, way + "/" + str(at))
    elif isinstance(here, dict):
        said = here.get("$ref")
        if isinstance(said, str) and said.startswith("#") and _at(body, said) is None:
            yield way + ": there is no `" + said + "`"
        for name, each in here.items():
            if name not in EXAMPLES:
                yield from _references(body, each, way + "/" + str(name))


def _schemas(here: Any, version: str, way: str) -> Iterator[str]:
    """Every schema, wherever it stands: of 3.0 they are as in draft 4 of JSON Schema, of 3.1 as in 2020-12."""
    inner = enumerate(here) if isinstance(here, list) else here.items() if isinstance(here, dict) else ()
    for name, each in inner:
        below = way + "/" + str(name)
        if name == "schema":
            yield from _schema(each, version, below)
        elif below == "#/components/schemas" and isinstance(each, dict):
            for own, schema in each.items():
                yield from _schema(schema, version, below + "/" + str(own))
        elif name not in EXAMPLES:
            yield from _schemas(each, version, below)


def _schema(schema: Any, version: str, way: str) -> Iterator[str]:
    from jsonschema import (  # type: ignore[import-untyped]  # of whoever runs this
        Draft4Validator,
        Draft202012Validator,
        SchemaError,
    )

    kind = Draft4Validator if version.startswith("3.0") else Draft202012Validator
    if not isinstance(schema, dict) and not (isinstance(schema, bool) and version.startswith("3.1")):
        yield way + ": it is no schema"
        return
    try:
        kind.check_schema(schema)
    except SchemaError as problem:
        yield way + "/" + "/".join(map(str, problem.absolute_path)) + ": " + str(problem.message)[:200]
