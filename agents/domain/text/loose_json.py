"""Reads an object that is written nearly as JSON: as JavaScript or Python write it, with comments, or a comma too many.

Only what has one meaning is read. A text without quotes, a quotation mark inside one or a missing comma may be cut off
or mean something else.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NoReturn

DEEPEST = 60
_GAP = re.compile(r"(?:[\s\u200b\u2060\ufeff]+|//[^\n]*|#[^\n]*|/\*.*?\*/)+", re.DOTALL)
_NAME = re.compile(r"[A-Za-z_$][\w$-]*")
_NUMBER = re.compile(r"[+-]?\d{1,40}(?:\.\d{1,40})?(?:[eE][+-]?\d{1,3})?(?![\w.])")
_TEXT = {
    '"': re.compile(r'((?:[^"\\]|\\.)*+)"', re.DOTALL),
    "“": re.compile(r"((?:[^“”\\]|\\.)*+)[“”]", re.DOTALL),
    "'": re.compile(r"((?:[^'\\]|\\.)*+)'(?=\s*[:,}\]])", re.DOTALL),  # else it may be an apostrophe
}
_TEXT["”"] = _TEXT["“"]
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "\n": ""}
_WORDS: dict[str, Any] = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
_WORDS |= dict.fromkeys(("null", "None", "NULL", "undefined"))
_SIGNS = {":": ":：", ",": ",，"}


class NotPlain(ValueError):
    """It is no object, or could mean two things."""


def read_loosely(text: str, start: int) -> tuple[dict[str, Any], int]:
    """The object that begins there, and where it ends. Raises NotPlain."""
    reader = _Reader(text=text, at=start)
    return reader.object(), reader.at


@dataclass(slots=True, kw_only=True)
class _Reader:
    text: str
    at: int
    depth: int = 0

    def object(self) -> dict[str, Any]:
        made = dict[str, Any]()
        for _ in self._items("}"):
            name = self._key()
            self._take(":")
            value = self._value()
            if name in made and made[name] != value:
                self._fail()
            made[name] = value
        return made

    def _list(self) -> list[Any]:
        return [self._value() for _ in self._items("]")]

    def _items(self, closing: str) -> Iterator[None]:
        """Stops before each item; the last may have a comma after it."""
        self.depth, self.at = self.depth + 1, self.at + 1
        if self.depth > DEEPEST:
            self._fail()
        while self._next() != closing:
            yield
            if self._next() != closing:
                self._take(",")
        self.depth, self.at = self.depth - 1, self.at + 1

    def _key(self) -> str:
        if self._next() in _TEXT:
            return self._text()
        found = _NAME.match(self.text, self.at) or self._fail()
        self.at = found.end()
        return found[0]

    def _value(self) -> Any:
        sign = self._next()
        if sign in _TEXT:
            return self._text()
        readers: dict[str, Callable[[], Any]] = {"{": self.object, "[": self._list}
        return readers.get(sign, self._bare)()

    def _text(self) -> str:
        found = _TEXT[self.text[self.at]].match(self.text, self.at + 1) or self._fail()
        self.at = found.end()
        return _ESCAPE.sub(_unescape, found[1])

    def _bare(self) -> Any:
        """A number, or a word of Python or JavaScript."""
        if found := _NUMBER.match(self.text, self.at):
            self.at = found.end()
            said = found[0].removeprefix("+")
            return int(said) if said.lstrip("-").isdecimal() else float(said)
        found = _NAME.match(self.text, self.at) or self._fail()
        if found[0] not in _WORDS:
            self._fail()
        self.at = found.end()
        return _WORDS[found[0]]

    def _take(self, sign: str) -> None:
        if self._next() not in _SIGNS[sign]:
            self._fail()
        self.at += 1

    def _next(self) -> str:
        """The next sign after a gap."""
        if gap := _GAP.match(self.text, self.at):
            self.at = gap.end()
        if self.at >= len(self.text):
            self._fail()
        return self.text[self.at]

    def _fail(self) -> NoReturn:
        raise NotPlain(f"at {self.at}")


def _unescape(found: re.Match[str]) -> str:
    """What is no escape of JSON stays as it stands: a path of Windows, a pattern."""
    said = found[1]
    if len(said) == 5:
        return chr(int(said[1:], 16))
    if said in "\"'\\/“”":
        return said
    return _ESCAPED.get(said, found[0])
