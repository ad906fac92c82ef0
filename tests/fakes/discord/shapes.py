"""Checks bodies against Discord's own OpenAPI document, where that is to be had."""

import json
import os
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

from jsonschema_rs import Draft202012Validator, Registry, ValidationError

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
        told = "; ".join(f"{_place(e)}: {e.message[:200]}" for e in (error, *_inner(error)))
        return f"{what} of {method} {template}: {told}"


def _inner(error: ValidationError) -> list[ValidationError]:
    """Where none of several shapes fits: what is wrong deepest inside."""
    tried: Iterable[list[ValidationError]] = getattr(error.kind, "context", ())
    return sorted((e for each in tried for e in each), key=lambda e: -len(e.instance_path))[:3]


def _place(error: ValidationError) -> str:
    return ".".join(("$", *map(str, error.instance_path)))


@cache
def _registry(path: Path) -> tuple[Any, Registry]:
    loaded = json.loads(path.read_text())
    return loaded, Registry([(_ROOT, loaded)])


@cache
def _validator(path: Path, template: str, method: str, where: tuple[str, ...]) -> Draft202012Validator | None:
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
