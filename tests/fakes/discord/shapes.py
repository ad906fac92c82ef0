"""Checks bodies against Discord's own OpenAPI document, where that is to be had."""

import json
import os
from functools import cache
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator  # type: ignore[import-untyped]
from referencing import Registry
from referencing.jsonschema import DRAFT202012

VARIABLE = "DISCORD_OPENAPI"
USUAL = Path(__file__).parents[4] / "shared" / "data" / "discord-openapi.json"  # beside the project, if it is there
_ROOT = "urn:discord"


def document() -> Path | None:
    """Where the document is, or None: then shapes are not checked, and the tests say so."""
    path = Path(os.environ.get(VARIABLE) or USUAL)
    return path if path.exists() else None


class Shapes:
    """`problems` gathers every body that does not fit; `checked` counts those that were looked at."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self.checked = 0
        self.problems: list[str] = []

    def request(self, method: str, template: str, body: object) -> str:
        """What is wrong with a request, or nothing."""
        where = ("requestBody", "content", "application/json", "schema")
        return self._check("request", method, template, where, body)

    def response(self, method: str, template: str, status: int, body: object) -> None:
        where = ("responses", str(status), "content", "application/json", "schema")
        if problem := self._check("response", method, template, where, body):
            self.problems.append(problem)

    def _check(self, what: str, method: str, template: str, where: tuple[str, ...], body: object) -> str:
        if self._path is None:
            return ""
        validator = _validator(self._path, template, method.lower(), where)
        if validator is None:
            return ""
        self.checked += 1
        error = next(iter(validator.iter_errors(body)), None)
        if error is None:
            return ""
        inner = sorted(error.context or [], key=lambda e: -len(e.absolute_path))[:3]
        told = "; ".join(f"{e.json_path}: {e.message[:200]}" for e in (error, *inner))
        return f"{what} of {method} {template}: {told}"


@cache
def _registry(path: Path) -> tuple[Any, Registry[Any]]:
    loaded = json.loads(path.read_text())
    return loaded, Registry().with_resource(_ROOT, DRAFT202012.create_resource(loaded))


@cache
def _validator(path: Path, template: str, method: str, where: tuple[str, ...]) -> Any:
    loaded, registry = _registry(path)
    here = loaded["paths"].get(template, {}).get(method)
    if here is None:
        return None
    for part in where:
        here = here.get(part)
        if here is None:
            return None
    steps = ("paths", template, method, *where)
    pointer = "/".join(step.replace("~", "~0").replace("/", "~1") for step in steps)
    return Draft202012Validator({"$ref": f"{_ROOT}#/{_quoted(pointer)}"}, registry=registry)


def _quoted(pointer: str) -> str:
    return pointer.replace("{", "%7B").replace("}", "%7D").replace("@", "%40")
