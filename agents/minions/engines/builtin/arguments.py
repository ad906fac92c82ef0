"""Reads what a model gives a tool: tolerantly where the meaning is plain, else with words on what to write instead."""

import json
import re
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from functools import lru_cache
from typing import Any

from pydantic import BaseModel, ValidationError

from agents.domain.text.forms import fit
from agents.domain.text.loose_json import NotPlain, read_loosely
from agents.domain.text.sanitize import clean, cut, strictly

# What other tools call the same thing; taken where the tool has no field of that name and the right one is not given.
_ALSO: dict[str, str] = {
    **dict.fromkeys(("file", "file_path", "filename", "filepath", "file_name", "dir", "directory", "folder"), "path"),
    **dict.fromkeys(("contents", "text", "file_text", "body"), "content"),
    **dict.fromkeys(("old_string", "old_str", "old_text", "search"), "old"),
    **dict.fromkeys(("new_string", "new_str", "new_text", "replace"), "new"),
    **dict.fromkeys(("replace_all",), "all"),
    **dict.fromkeys(("cmd", "shell_command", "script"), "command"),
    **dict.fromkeys(("query", "regex", "regexp"), "pattern"),
    **dict.fromkeys(("start_line", "line_start", "from_line", "start"), "first_line"),
    **dict.fromkeys(("end_line", "line_end", "to_line", "end"), "last_line"),
    **dict.fromkeys(("result", "message"), "summary"),
    **dict.fromkeys(("note", "handoff"), "handoff_note"),
}
_ASIDE = frozenset({"reason", "why", "explanation", "description", "thought", "thoughts", "comment", "justification"})
_AROUND = frozenset({"arguments", "args", "input", "parameters", "params", "kwargs"})  # an object in which all stands
_ODD_ESCAPE = re.compile(r"(?<!\\)(?:\\\\)*\\[^\"\\/bfnrtu]")
_ODD_IN_PYTHON = re.compile(r"(?<!\\)(?:\\\\)*\\[^\"'\\bfnrt]")
_PYTHON = re.compile(r"\s*\{\s*'")
_SEPARATORS = re.compile(r"[\W_]+")


class BadArguments(Exception):
    """What is wrong, and how the tool is called."""


def meant_name(name: str, known: Iterable[str]) -> str:
    """The tool of this name, also where it is written in other case, with other signs, or with a namespace before it;
    otherwise the name as it stands."""
    squashed = {_squash(each): each for each in known}
    last = re.split(r"[.:/]", name)[-1]
    return name if name in squashed.values() else squashed.get(_squash(name)) or squashed.get(_squash(last)) or name


def no_such_tool(name: str, known: Iterable[str]) -> str:
    names = tuple(known)
    near = get_close_matches(name.casefold(), names, 1, 0.5)
    meant = f" Did you mean {near[0]}?" if near else ""
    return f"There is no tool {name}.{meant} There are: {', '.join(names)}."


def read_object(text: str) -> dict[str, Any]:
    """The object of a call. Raises BadArguments."""
    try:
        given = _read(text)
        if isinstance(given, str):  # written down twice
            given = _read(given.strip() or "{}")
    except (ValueError, RecursionError) as error:
        problem = f"The arguments are not JSON ({cut(clean(str(error)), 200)}). Send one JSON object."
        raise BadArguments(problem) from error
    if given is None:
        return {}
    if not isinstance(given, dict):
        raise BadArguments("The arguments are not a JSON object. Send one, as in {}.")
    return given


def _read(text: str) -> Any:
    """As JSON, or as nearly JSON as leaves no doubt: a file is written to the letter, so no escape is guessed."""
    try:
        return strictly(text)
    except json.JSONDecodeError:
        odd = _ODD_IN_PYTHON if _PYTHON.match(text) else _ODD_ESCAPE
        if not text.lstrip().startswith("{") or odd.search(text):
            raise
        try:
            given, end = read_loosely(text, text.index("{"))
        except NotPlain:
            given, end = {}, 0
        if text[end:].strip():
            raise
        return given


def read_arguments(name: str, takes: type[BaseModel], given: Mapping[str, Any]) -> BaseModel:
    """Raises BadArguments."""
    try:
        return takes.model_validate_json(json.dumps(_rename(takes, given)), strict=True, extra="forbid")
    except ValidationError as error:
        raise BadArguments(_describe_faults(name, takes, error)) from error


def _squash(name: str) -> str:
    return _SEPARATORS.sub("", name.casefold())


def _rename(takes: type[BaseModel], given: Mapping[str, Any]) -> dict[str, Any]:
    """The same with our names and kinds of values, as far as they are plain."""
    fields = takes.model_fields
    if len(given) == 1 and fields.keys().isdisjoint(given):
        (around, inner), *_ = given.items()
        given = inner if around.casefold() in _AROUND and isinstance(inner, dict) else given
    kinds = _kinds(takes)
    made: dict[str, Any] = {}
    for key, value in given.items():
        name = _field(key, fields, {*given, *made})
        if name in fields and value is None and not fields[name].is_required():
            continue
        if name not in fields and name.casefold() in _ASIDE:
            continue
        made[name] = _kind(value, kinds.get(name, {}))
    return made


@lru_cache(maxsize=64)
def _kinds(takes: type[BaseModel]) -> Mapping[str, Any]:
    kinds: Mapping[str, Any] = takes.model_json_schema().get("properties", {})
    return kinds


def _field(key: str, fields: Mapping[str, object], taken: Iterable[str]) -> str:
    if key in fields:
        return key
    squashed, also = {_squash(each): each for each in fields}, _ALSO.get(key.casefold(), key)
    wanted = (squashed.get(_squash(key), key), also, f"{also}s", also.removesuffix("s"))
    return next((each for each in wanted if each in fields and each not in taken), key)


def _kind(value: Any, schema: Mapping[str, Any]) -> Any:
    """Numbers, flags and lists as they are meant. Texts stay to the letter: a file is not cut."""
    kinds = {schema.get("type"), *(each.get("type") for each in schema.get("anyOf", ()))}
    return value if "string" in kinds or "object" in kinds else fit(value, schema, {})


def _describe_faults(name: str, takes: type[BaseModel], error: ValidationError) -> str:
    faults = (f"{'.'.join(map(str, e['loc'])) or 'the arguments'}: {e['msg']}" for e in error.errors()[:5])
    told = f"The arguments of {name} do not fit: {'; '.join(faults)}"
    return f"{cut(clean(told), 600)}. {_usage(name, takes)}"


def _usage(name: str, takes: type[BaseModel]) -> str:
    needed = [each for each, field in takes.model_fields.items() if field.is_required()]
    more = [each for each, field in takes.model_fields.items() if not field.is_required()]
    parts = [f"needs {', '.join(needed)}" if needed else "", f"may have {', '.join(more)}" if more else ""]
    return f"{name} {'; it '.join(part for part in parts if part) or 'takes nothing'}."
