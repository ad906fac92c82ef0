"""Finds calls of tools that a model wrote into its text, where its server had no ear for them.

Only whole calls of tools that it was given count, and only at the end of what it says: one that is quoted, with words
after it, is none, and neither is one in its thoughts.
"""

import json
import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from agents.domain.text.loose_json import NotPlain, read_loosely
from agents.domain.text.sanitize import unique_keys

Call = tuple[str, dict[str, Any]]  # its name, as it was written, and what it is given

MOST_STARTS, MOST_CALLS = 30, 40
_THOUGHT = re.compile(r"<(/?)(?:think|thinking|thought|reasoning)>", re.IGNORECASE)
_WORDS = r"(?:tools?|tool_calls?|tool_use|function_calls?)"
_STARTS = re.compile(
    rf"```[\w-]*\s*(?=[{{\[])|<(?:\w+:)?{_WORDS}>|<(?:\w+:)?(?:function=|function name=|invoke name=)|\[TOOL_CALLS\]"
    r"|<[|｜](?:python_tag|tool[^<>|｜\n]{1,30})[|｜]>|^[ \t]*[{\[](?=\s*[{\"'])|^Action:",
    re.MULTILINE,
)
# What stands between calls, and around them.
_BESIDE = re.compile(
    rf"(?:\s+|```[\w-]*|</?(?:\w+:)?{_WORDS}>|\[/?(?:TOOL_CALLS|ARGS)\]|<[|｜][^<>|｜\n]{{1,40}}[|｜]>|[,;]"
    r"|Action(?: Input)?:)*"
)
_NAME = r"(?P<name>[\w.:/-]{1,80})"
_TAGGED = re.compile(
    rf"<(?:\w+:)?(?P<tag>function|invoke)(?:=|\s+name=)[\"']?{_NAME}[\"']?\s*>(?P<given>.*?)</(?:\w+:)?(?P=tag)>",
    re.DOTALL,
)
_FIELD = re.compile(
    r"\s*<(?:\w+:)?parameter(?:=|\s+name=)[\"']?(?P<name>[\w-]{1,80})[\"']?[^<>\n]{0,40}>"
    r"\n?(?P<value>.*?)\n?</(?:\w+:)?parameter>\s*",
    re.DOTALL,
)
_NAMED = re.compile(rf"(?:function(?=[<\s]))?(?:\s|<[|｜][^<>|｜\n]{{1,40}}[|｜]>)*{_NAME}")
_PAIR = re.compile(r"\s*<arg_key>(?P<name>.*?)</arg_key>\s*<arg_value>(?P<value>.*?)</arg_value>\s*", re.DOTALL)
_CALLED = ("name", "tool", "tool_name", "function", "function_name", "action", "recipient_name")
_GIVEN = ("arguments", "args", "parameters", "params", "input", "tool_input", "action_input", "kwargs")
_NO_FIELD = frozenset({"id", "type", "index", "call_id"})
_DECODER = json.JSONDecoder(object_pairs_hook=unique_keys, strict=False)


def read_written_calls(text: str, tools: Collection[str]) -> tuple[str, list[Call]]:
    """What stands before them, and the calls; none where it is not plain that all of them are."""
    known, after = {_squash(name) for name in tools}, 0
    for thought in _THOUGHT.finditer(text):
        after = thought.end() if thought[1] else len(text)
    for count, start in enumerate(_STARTS.finditer(text, after)):
        if count == MOST_STARTS:
            break
        calls = _calls_to_the_end(text, start.start())
        if calls and all(_squash(name) in known for name, _ in calls):
            return text[: start.start()].rstrip(), calls
    return text, []


def _squash(name: str) -> str:
    return re.sub(r"[\W_]", "", re.split(r"[.:/]", name)[-1]).casefold()


def _calls_to_the_end(text: str, at: int) -> list[Call]:
    calls = list[Call]()
    while (at := _skip(text, at)) < len(text):
        found = _read_tags(text, at) or _read_json(text, at) or _read_named(text, at)
        if found is None or len(calls) > MOST_CALLS:
            return []
        calls += found[0]
        at = found[1]
    return calls


def _skip(text: str, at: int) -> int:
    found = _BESIDE.match(text, at)
    return found.end() if found else at


def _read_tags(text: str, at: int) -> tuple[list[Call], int] | None:
    """As tags, with an object or with a tag for each field."""
    found = _TAGGED.match(text, at)
    if found is None:
        return None
    inside = found["given"]
    if inside.strip().startswith("{"):
        value, end = _decode(inside, inside.index("{"))
        given = value if isinstance(value, dict) and not inside[end:].strip() else None
    else:
        given = _pairs(inside, _FIELD)
    return None if given is None else ([(found["name"], given)], found.end())


def _pairs(text: str, form: re.Pattern[str]) -> dict[str, Any] | None:
    """Names and values, where nothing else stands between them."""
    given, at = dict[str, Any](), 0
    while found := form.match(text, at):
        if found["name"] in given:
            return None
        given[found["name"]] = found["value"]
        at = found.end()
    return None if text[at:].strip() else given


def _read_json(text: str, at: int) -> tuple[list[Call], int] | None:
    """As JSON that names the tool."""
    if text[at] not in "{[":
        return None
    value, end = _decode(text, at)
    calls = list(_calls_in(value))
    return (calls, end) if calls and None not in calls else None  # type: ignore[return-value]


def _read_named(text: str, at: int) -> tuple[list[Call], int] | None:
    """A name, and then an object or pairs."""
    found = _NAMED.match(text, at)
    start = _skip(text, found.end()) if found else len(text)
    if found is None or start >= len(text):
        return None
    if text[start] == "{":
        value, end = _decode(text, start)
        return ([(found["name"], value)], end) if isinstance(value, dict) else None
    end = text.find("</tool_call>", start)
    given = _pairs(text[start:end], _PAIR) if end > start else None
    return ([(found["name"], given)], end) if given else None


def _decode(text: str, at: int) -> tuple[Any, int]:
    try:
        return _DECODER.raw_decode(text, at)
    except (ValueError, RecursionError):
        pass
    try:
        return read_loosely(text, at) if text[at] == "{" else (None, at)
    except NotPlain:
        return None, at


def _calls_in(value: Any) -> Iterator[Call | None]:
    """None stands for what is no call."""
    if isinstance(value, list):
        for each in value:
            yield from _calls_in(each)
    elif not isinstance(value, Mapping):
        yield None
    elif isinstance(inner := value.get("tool_calls") or value.get("function"), list | dict):
        yield from _calls_in(inner)
    else:
        yield _call_of(value)


def _call_of(value: Mapping[str, Any]) -> Call | None:
    called = next((key for key in _CALLED if isinstance(value.get(key), str)), "")
    if not called:
        return None
    around = next((key for key in _GIVEN if key in value), "")
    rest = {key: each for key, each in value.items() if key != called and key not in _NO_FIELD}
    given = value[around] if around else rest
    if isinstance(given, str):
        given = _decode(given, given.index("{"))[0] if given.strip().startswith("{") else None
    return (value[called], dict(given)) if isinstance(given, Mapping) else None
