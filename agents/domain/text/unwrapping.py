"""Finds an answer in what is wrapped around it: an object with one field, a call of a tool, a text of JSON."""

import json
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from agents.domain.text.forms import plain_key, unpack
from agents.domain.text.other_names import ELSEWHERE

DEEPEST = 5
_VERDICTS = {each for others in ELSEWHERE.values() for each in others}
# Fields in which an answer stands whole, where the mark stands outside of it.
_AROUND = frozenset(
    [
        *(
            "answer",
            "response",
            "result",
            "output",
            "data",
            "json",
            "arguments",
            "args",
            "parameters",
            "params",
            "input",
        ),
        *(
            "content",
            "finalanswer",
            "plan",
            "decomposition",
            "review",
            "critic",
            "custodiet",
            "assessment",
            "evaluation",
        ),
    ]
)


def unwrap(value: Mapping[str, Any], mark: str, fields: Collection[str]) -> dict[str, Any]:
    """With the mark under its own name. Where nothing is plainly the answer, it is the value itself."""
    known = {plain_key(name) for name in fields}
    if any(plain_key(key) == plain_key(mark) for key in value):
        return _marked(value, mark, known)
    if known & {plain_key(key) for key in value}:
        return dict(value)
    found = {json.dumps(each, sort_keys=True): each for each in _inner(value, plain_key(mark), DEEPEST)}
    if len(found) != 1:
        return dict(value)
    beside = {key: each for key, each in value.items() if plain_key(key) in _VERDICTS}  # what it is said to be is heard
    return {**beside, **_marked(next(iter(found.values())), mark, known)}


def _marked(value: Mapping[str, Any], mark: str, known: Collection[str]) -> dict[str, Any]:
    told = {mark if plain_key(key) == plain_key(mark) else key: each for key, each in value.items()}
    inside = [(key, unpack(each, dict)) for key, each in told.items() if plain_key(key) in _AROUND]
    inside = [(key, each) for key, each in inside if isinstance(each, dict) and key not in known]
    if len(inside) != 1:
        return told
    (around, inner), *_ = inside
    outer = {key: each for key, each in told.items() if key != around}
    names, own = {plain_key(key) for key in inner}, {plain_key(key) for key in outer} & set(known)
    return {**outer, **inner} if names & set(known) and not names & own else told


def _inner(value: Any, mark: str, depth: int) -> Iterator[Mapping[str, Any]]:
    """The outermost objects that have the mark."""
    value = unpack(value, dict)
    if not depth or not isinstance(value, Mapping | list):
        return
    if isinstance(value, Mapping) and any(plain_key(key) == mark for key in value):
        yield value
        return
    for each in value.values() if isinstance(value, Mapping) else value:
        yield from _inner(each, mark, depth - 1)
