"""Prose in facts lives in rows of its own. A fact holds its hash, so words can be removed and the chain still holds.

What is prose: every text with a blank in it, and whatever stands where people's words stand, however short.
"""

import hashlib
import json
import re
import secrets
from collections.abc import Callable, Sequence

from sqlalchemy import ColumnElement, insert

from store import tables
from store.statements import Prepared

_W, _E = tables.words, tables.events
SAID = frozenset({"answer", "because", "feedback", "note", "reason", "request", "text", "why", "words"})
REMOVED = "(removed at the request of its author)"
ADD = Prepared(insert(_W))
OF_FACT: ColumnElement[bool] = (_W.c.stream == _E.c.stream) & (_W.c.version == _E.c.version)  # for an outer join

_STRING = re.compile(r'"(?:[^"\\]|\\.)*":?')  # in JSON without blanks: a name, or a value
_PLACE = re.compile(r'"~(\d+)"')
_END = re.compile(r',"~":"([0-9a-f]{64})"}$')


def take_out(body: str) -> tuple[str, str | None]:
    """A fact's JSON with numbers in place of its prose, and the prose; None: it has none."""
    prose = list[str]()
    name = ""

    def place(found: re.Match[str]) -> str:
        nonlocal name
        string = found[0]
        if string.endswith('":'):
            name = string[1:-2]
        elif (name in SAID or " " in string or string.startswith('"~')) and string != '""':
            prose.append(json.loads(string))
            return f'"~{len(prose)}"'
        return string

    rest = _STRING.sub(place, body)
    if not prose:
        return body, None
    text = json.dumps([secrets.token_hex(16), *prose])  # a short answer could be guessed from its hash alone
    return f'{rest[:-1]},"~":"{_hash(text)}"}}', text


def put_back(body: str, text: str | None) -> str:
    """The fact's JSON as it was, but for words that were removed since."""
    if not has_words(body):
        return body
    if text is None:
        raise ValueError("its words are missing")
    words: Sequence[str] = json.loads(text)
    return _END.sub("}", _PLACE.sub(lambda found: json.dumps(words[int(found[1])]), body))


def has_words(body: str) -> bool:
    return _END.search(body) is not None


def are_those_of(body: str, text: str | None, *, removed: bool) -> bool:
    """Whether these are the words that the fact was written with; of those with some removed nobody can say."""
    end = _END.search(body)
    return (end is None and text is None) or (
        end is not None and text is not None and (removed or _hash(text) == end[1])
    )


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def change_strings(change: Callable[[str], str], value: object) -> object:
    """JSON with each of its texts changed."""
    match value:
        case str():
            return change(value)
        case list():
            return [change_strings(change, each) for each in value]
        case dict():
            return {name: change_strings(change, each) for name, each in value.items()}
        case _:
            return value
