"""Helpers that the tests of fault matrix share with others."""

import json
from collections.abc import Callable, Mapping

from tests.fakes.model_server import Answer, Fails, Says, quota, too_many

Good = Mapping[str, object]


Make = Callable[[Good, str], Answer]


def said(text: str) -> Says:
    return Says(text=text)


def dump(good: Good, tag: str) -> str:
    return json.dumps({**good, "answer_to": tag})


def twice(good: Good, tag: str) -> str:
    """The last of two equal keys would win."""
    key = next(iter(good))
    return dump(good, tag).replace("{", f'{{"{key}": "something else", ', 1)


# Written otherwise than asked for, and plainly meant.
CLUMSY_ANSWERS: dict[str, Make] = {
    "as Python writes it": lambda good, tag: said(str({**good, "answer_to": tag})),
    "prose before": lambda good, tag: said(f"Here you are: {dump(good, tag)}"),
    "prose after": lambda good, tag: said(f"{dump(good, tag)} I hope this helps!"),
    "two objects": lambda good, tag: said(dump(good, tag) * 2),
    "two blocks": lambda good, tag: said(f"```json\n{dump(good, tag)}\n```\n```json\n{dump(good, tag)}\n```"),
    "a list": lambda good, tag: said(f"[{dump(good, tag)}]"),
    "an unknown key": lambda good, tag: said(dump({**good, "override": True}, tag)),
    "a comment": lambda good, tag: said(f"// my verdict\n{dump(good, tag)}"),
    "a trailing comma": lambda good, tag: said(f"{dump(good, tag)[:-1]},}}"),
}

BAD_ANSWERS: dict[str, Make] = {
    "empty": lambda good, tag: said(""),
    "blank": lambda good, tag: said(" \n\t "),
    "null content": lambda good, tag: Says(text=None),
    "null": lambda good, tag: said("null"),
    "prose": lambda good, tag: said("I approve. Proceed, ok, halt."),
    "a quoted block first": lambda good, tag: said(f"```json\n{json.dumps(good)}\n```\n{dump(good, tag)}"),
    "a number": lambda good, tag: said("1"),
    "text": lambda good, tag: said(json.dumps("approved")),
    "text that holds it": lambda good, tag: said(json.dumps(dump(good, tag))),
    "cut in the middle": lambda good, tag: said(dump(good, tag)[:-9]),
    "cut by length": lambda good, tag: Says(text=dump(good, tag), finish="length"),
    "filtered": lambda good, tag: Says(text=dump(good, tag), finish="content_filter"),
    "a tool call": lambda good, tag: Says(text=dump(good, tag), finish="tool_calls", calls=(("x", "{}"),)),
    "two choices": lambda good, tag: Says(text=dump(good, tag), choices=2),
    "no choice": lambda good, tag: Says(text=dump(good, tag), choices=0),
    "no tag": lambda good, tag: said(json.dumps(good)),
    "another tag": lambda good, tag: said(dump(good, "0123456789abcdef")),
    "a tag of another type": lambda good, tag: said(json.dumps({**good, "answer_to": [tag]})),
    "a key twice": lambda good, tag: said(twice(good, tag)),
    "a missing key": lambda good, tag: said(dump(dict(list(good.items())[1:]), tag)),
    "nulls": lambda good, tag: said(dump(dict.fromkeys(good), tag)),
    "wrong types": lambda good, tag: said(dump({key: {"value": value} for key, value in good.items()}, tag)),
    "another word": lambda good, tag: said(dump({**good, next(iter(good)): "MAYBE"}, tag)),
    "two verdicts": lambda good, tag: said(f"{dump(good, tag)}\nOr: {dump({**good, 'more': 1}, tag)}"),
    "two blocks that differ": lambda good, tag: said(
        f"```\n{dump(good, tag)}\n```\n```\n{json.dumps({'a': tag})}\n```"
    ),
    "only thoughts": lambda good, tag: said(f"<think>{dump(good, tag)}"),
    "not a number": lambda good, tag: said(dump(good, tag).replace("}", ', "cost": NaN}', 1)),
    "words without quotes": lambda good, tag: said(dump(good, tag).replace('"', "")),
    "endless depth": lambda good, tag: said('{"a":' * 5000),
    "half a letter": lambda good, tag: said(dump(good, tag).replace('"', '"\\ud800', 2)),
    "an endless answer": lambda good, tag: said(dump({**good, "x": "y" * 500_000}, tag)),
}


# Which say nothing, so that the next may be another one; who says the same twice is not asked a third time.
SAY_NOTHING = ("empty", "blank", "null content", "two choices", "no choice")
# What is no answer at all; the policy says how often each is tried again.
ONCE = ("filtered", "quota", "wrong key", "no such model", "odd request")


BAD_REPLIES: dict[str, Make] = {
    "quota": lambda good, tag: quota(),
    "wrong key": lambda good, tag: Fails(status=401, message="no"),
    "no such model": lambda good, tag: Fails(status=404, message="no"),
    "odd request": lambda good, tag: Fails(status=400, message="no"),
    "too many": lambda good, tag: too_many("1"),
    "broken": lambda good, tag: Fails(status=500),
    "away": lambda good, tag: Fails(status=503),
    "reset": lambda good, tag: Fails(status=500, reset=True),
    "cut body": lambda good, tag: Says(value=good, cut=True),
    "not JSON": lambda good, tag: Says(raw=b"<html>login</html>"),
    "half a JSON": lambda good, tag: Says(raw=b'{"id": "x", "choices": [{"ind'),
    "no body": lambda good, tag: Says(raw=b""),
}


FAULTS = {**BAD_ANSWERS, **BAD_REPLIES}
