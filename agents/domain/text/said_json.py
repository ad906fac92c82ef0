"""Finds the one JSON object in what a model wrote, whatever stands around it; two different ones are none."""

import json
import re
from collections.abc import Iterator
from typing import Any, NoReturn

from agents.domain.text.loose_json import NotPlain, read_loosely
from agents.domain.text.sanitize import one_line

QUOTED = 60  # characters of an answer that are said back
TRIES = 20  # objects that are read loosely or are broken, in one answer
_THOUGHTS = "think|thinking|thought|thoughts|reasoning|reflection|scratchpad|analysis"
_MARKS = re.compile(
    rf"<\|?(?P<shut>/?)\|?(?P<name>{_THOUGHTS})(?:\s[^<>{{}}\n]{{0,60}})?\|?>"
    r"|[\[◁](?P<shuts>/?)(?P<think>think)[\]▷]"
    r"|<\|channel\|>(?P<aloud>final)|<\|channel\|>(?P<aside>analysis)|\{",
    re.IGNORECASE,
)
_OPENS = re.compile(r'\{\s*"')  # an object that says something, and no brace of a text
_OPENS_LOOSELY = re.compile(r"\{\s*(?:[“”']|[A-Za-z_][\w-]*\s*[:：]|//|/\*|#)")


class NoObject(Exception):
    """Why there is no object to be taken, in words for whoever wrote it."""


_Found = dict[str, Any] | NoObject | None  # None: all before it was thought


def find_object(text: str, mark: str = "") -> dict[str, Any]:
    """Raises NoObject. What stands in a block of thoughts is no answer; nor is a part of an object that is broken.

    `mark`: a field that every answer has. What is only nearly JSON from its first sign on is an object where it has
    it, else a brace of a text. What is the schema of an answer is none.
    """
    said = text.strip().lstrip("\ufeff")
    if not said:
        raise NoObject("it is empty")
    found = _answers_in(said, mark)
    if not found:
        raise NoObject(f"it has no JSON object, and begins with “{one_line(said, QUOTED)}”")
    if broken := next((each for each in found if isinstance(each, NoObject)), None):
        raise broken
    objects = [each for each in found if isinstance(each, dict)]
    answers = [each for each in objects if not _is_schema(each)]
    if not answers:
        raise NoObject("it repeats the schema and does not fill it in")
    different = {json.dumps(each, sort_keys=True): each for each in answers}
    if len(different) > 1:
        raise NoObject(f"it has {len(different)} different JSON objects; one is wanted")
    return next(iter(different.values()))


def _is_schema(value: dict[str, Any]) -> bool:
    """What it was shown, and said again."""
    fields = value.get("properties")
    return isinstance(fields, dict) and bool(fields) and all(isinstance(each, dict) for each in fields.values())


def _answers_in(text: str, mark: str) -> list[dict[str, Any] | NoObject]:
    found, broken = list[dict[str, Any] | NoObject](), 0
    for each in _walk(text, mark):
        if each is None:
            found.clear()
            continue
        found.append(each)
        broken += isinstance(each, NoObject)
        if broken > TRIES:
            break
    return found


def _walk(text: str, mark: str) -> Iterator[_Found]:
    end, braces = 0, 0
    while sign := _MARKS.search(text, end):
        end = sign.end()
        if sign[0] == "{":
            found = _object_at(text, sign.start(), mark, loosely=braces < TRIES)
            braces += found is None and bool(_OPENS_LOOSELY.match(text, sign.start()))
            if found:
                yield found[0]
                end = max(end, found[1])
        elif sign["shut"] or sign["shuts"] or sign["aloud"]:
            yield None
        elif closing := _closing(sign).search(text, end):
            end = closing.end()
        else:
            yield NoObject("it ended in the middle of its thoughts, before the answer")
            return


def _object_at(text: str, start: int, mark: str, *, loosely: bool) -> tuple[dict[str, Any] | NoObject, int] | None:
    """And where to look on. None: it is a brace of a text."""
    if _OPENS.match(text, start):
        value, stop = _decode(text, start)
        return (_nearly(text, start) if isinstance(value, NoObject) else None) or (value, stop)
    found = _nearly(text, start) if loosely and _OPENS_LOOSELY.match(text, start) else None
    return found if found and _plain(mark) in _keys(found[0]) else None


def _closing(sign: re.Match[str]) -> re.Pattern[str]:
    """The end of these thoughts."""
    if sign["aside"]:
        return re.compile(r"<\|(?:end|return)\|>|(?=<\|channel\|>final)", re.IGNORECASE)
    name = re.escape(sign["name"] or sign["think"])
    return re.compile(rf"<\|?/\|?{name}\|?>|[\[◁]/{name}[\]▷]", re.IGNORECASE)


def _nearly(text: str, start: int) -> tuple[dict[str, Any], int] | None:
    """An object that is nearly JSON, and where it ends."""
    try:
        return read_loosely(text, start)
    except NotPlain:
        return None


def _keys(value: Any) -> set[str]:
    """Also of what is in it."""
    if isinstance(value, list):
        return set[str]().union(*map(_keys, value))
    if not isinstance(value, dict):
        return set()
    return {_plain(key) for key in value}.union(*map(_keys, value.values()))


def _plain(key: str) -> str:
    return re.sub(r"[\W_]", "", key).casefold()


def _decode(text: str, start: int) -> tuple[dict[str, Any] | NoObject, int]:
    """And where to look on."""
    try:
        return _DECODER.raw_decode(text, start)
    except json.JSONDecodeError as error:
        if error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated string"):
            return NoObject("its JSON object does not end: it was cut off"), len(text)
        near = text[max(start, error.pos - 30) : error.pos + 30]
        return NoObject(f"its JSON is broken ({error.msg}) near “{one_line(near, QUOTED)}”"), error.pos
    except ValueError as error:
        return NoObject(f"its JSON is broken ({one_line(str(error))})"), len(text)
    except RecursionError:
        return NoObject("its JSON is nested too deep"), len(text)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict[str, Any]()
    for name, value in pairs:
        if name in made and made[name] != value:
            raise ValueError(f"the key {one_line(name, QUOTED)} stands twice, with two values")
        made[name] = value
    return made


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no value of JSON")


_DECODER = json.JSONDecoder(object_pairs_hook=_unique, parse_constant=_no_constant, strict=False)
