"""Rust tests that stand in the file of what they test: taken apart, and put together with another version."""

import re
from typing import NamedTuple

_BEGINS = re.compile(
    r"(?m)^[ \t]*#\[cfg\((?:test|all\(test\b[^\n]*)\)\]\s*"
    r"(?:#\[[^\[\]\n]*(?:\[[^\[\]\n]*\][^\[\]\n]*)*\]\s*){0,20}+(?:pub\s+)?mod\s+\w+\s*\{"
)
_HIDDEN = re.compile(
    r"r(#*)\"(?:.*?\"\1|.*)|\"(?:\\.|[^\"\\])*+\"?|'(?:\\.[^']*|[^'\\\n])'|//[^\n]*|/\*(?:.*?\*/|.*)", re.DOTALL
)  # words and remarks, in which braces mean nothing; what is not closed goes on to the end


class Parts(NamedTuple):
    """A file: what stands above its tests, the tests, and what stands below."""

    above: str
    tests: str
    below: str


def take_apart(text: str) -> Parts:
    plain = _HIDDEN.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)
    begins = _BEGINS.search(plain)
    if begins is None:
        return Parts(text, "", "")
    depth = 0
    for at in range(begins.end() - 1, len(plain)):
        depth += {"{": 1, "}": -1}.get(plain[at], 0)
        if depth == 0:
            return Parts(text[: begins.start()], text[begins.start() : at + 1], text[at + 1 :])
    return Parts(text[: begins.start()], text[begins.start() :], "")


def with_tests_of(text: str, other: str) -> str:
    """A file with the tests of another version of it."""
    own, tests = take_apart(text), take_apart(other).tests
    return f"{own.above}{tests}{own.below}" if own.tests else f"{text.rstrip()}\n\n{tests}\n"
