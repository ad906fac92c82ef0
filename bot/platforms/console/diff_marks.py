"""What is marked in the lines of a diff: syntax by colour, and within a changed line the words that changed.

Both only read: a line is cut into pieces with a class each, and whoever draws it escapes every piece. What they cost is
bounded in characters, words and time, as the text is a stranger's.
"""

import re
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from functools import cache
from importlib import import_module
from itertools import groupby, pairwise
from pathlib import PurePosixPath
from typing import Protocol

from bot.platforms.console.diff_rows import Row

LETTERS_MOST = 300_000  # characters of a page that are coloured
LINE_MOST = 400  # characters of a line that is coloured
SECONDS = 0.6  # for all marks of a page
WORDS_MOST = 120  # words of a line that is compared
PAIRS_MOST = 600  # lines of a page that are compared
ALIKE = 0.4  # two lines with less in common are two lines

Span = tuple[int, int, str]  # from, to, class

# Lexers that were tried with hostile text (tests). No other is loaded, whatever a file calls itself.
_LEXERS: dict[str, tuple[str, str]] = {
    **dict.fromkeys((".py", ".pyi"), ("python", "PythonLexer")),
    **dict.fromkeys((".js", ".mjs", ".cjs", ".jsx"), ("javascript", "JavascriptLexer")),
    **dict.fromkeys((".ts", ".tsx", ".mts", ".cts"), ("javascript", "TypeScriptLexer")),
    ".go": ("go", "GoLexer"),
    ".rs": ("rust", "RustLexer"),
    ".java": ("jvm", "JavaLexer"),
    ".kt": ("jvm", "KotlinLexer"),
    **dict.fromkeys((".c", ".h"), ("c_cpp", "CLexer")),
    **dict.fromkeys((".cc", ".cpp", ".cxx", ".hpp"), ("c_cpp", "CppLexer")),
    ".cs": ("dotnet", "CSharpLexer"),
    ".rb": ("ruby", "RubyLexer"),
    **dict.fromkeys((".sh", ".bash"), ("shell", "BashLexer")),
    **dict.fromkeys((".yaml", ".yml"), ("data", "YamlLexer")),
    ".json": ("data", "JsonLexer"),
    ".toml": ("configs", "TOMLLexer"),
    **dict.fromkeys((".ini", ".cfg"), ("configs", "IniLexer")),
    ".css": ("css", "CssLexer"),
    ".sql": ("sql", "SqlLexer"),
}
_NAMES: dict[str, str] = {"Cargo.lock": ".toml", "uv.lock": ".toml"}
_CLASSES = {
    "Keyword": "k",
    "String": "s",
    "Comment": "c",
    "Number": "n",
    "Function": "f",
    "Class": "f",
    "Decorator": "d",
}
_WORD = re.compile(r"\w+|\s+|[^\w\s]")


class Lexer(Protocol):
    """One of Pygments; a kind of token is a tuple of names, from the general to the special."""

    def get_tokens(self, text: str) -> Iterable[tuple[tuple[str, ...], str]]: ...


@dataclass(slots=True)
class Effort:
    """What is left to spend on the marks of one page."""

    letters: int = LETTERS_MOST
    pairs: int = PAIRS_MOST
    ends: float = field(default_factory=lambda: time.monotonic() + SECONDS)

    @property
    def is_over(self) -> bool:
        return time.monotonic() > self.ends


def mark_rows(name: str, rows: Sequence[Row], effort: Effort) -> tuple[list[list[Span]], list[list[Span]]]:
    """For each row its coloured parts, and its words that changed."""
    colours: list[list[Span]] = [[] for _ in rows]
    words: list[list[Span]] = [[] for _ in rows]
    lexer = _lexer_for(name)
    for hunk in _hunks(rows):
        if lexer is not None:
            # what is the same takes its colours from the new side, which comes last
            for side in (("removed", "same"), ("added", "same")):
                _colour(rows, [at for at in hunk if rows[at].kind in side], lexer, effort, colours)
        _compare(rows, hunk, effort, words)
    return colours, words


def _hunks(rows: Sequence[Row]) -> Iterator[list[int]]:
    """Places of rows that follow each other in the file."""
    for is_line, group in groupby(range(len(rows)), key=lambda at: rows[at].kind in ("added", "removed", "same")):
        if is_line:
            yield list(group)


def _lexer_for(name: str) -> Lexer | None:
    path = PurePosixPath(name)
    return _lexer(_NAMES.get(path.name, path.suffix.lower()))


@cache
def _lexer(suffix: str) -> Lexer | None:
    if suffix not in _LEXERS:
        return None
    module, made = _LEXERS[suffix]
    lexer: Lexer = getattr(import_module(f"pygments.lexers.{module}"), made)(stripnl=False, ensurenl=False)
    return lexer


def _colour(rows: Sequence[Row], at: list[int], lexer: Lexer, effort: Effort, colours: list[list[Span]]) -> None:
    """Lexes these rows as one text, so that a string over several lines is one; a line too long counts as empty."""
    texts = ["" if _too_long(rows[each]) else rows[each].text.replace("\r", " ") for each in at]
    whole = "\n".join(texts)
    if not whole or len(whole) > effort.letters or effort.is_over:
        return
    effort.letters -= len(whole)
    line, column = 0, 0
    found: list[list[Span]] = [[] for _ in at]
    for kind, value in lexer.get_tokens(whole):
        if effort.is_over:
            return
        named = _class_of(kind)
        for number, part in enumerate(value.split("\n")):
            line, column = (line + 1, 0) if number else (line, column)
            if line >= len(at):
                break
            if named and part:
                found[line].append((column, column + len(part), named))
            column += len(part)
    for each, spans in zip(at, found, strict=True):
        colours[each] = spans


def _too_long(row: Row) -> bool:
    return len(row.text) > LINE_MOST or not row.anchor


@cache
def _class_of(kind: tuple[str, ...]) -> str:
    return next((_CLASSES[part] for part in reversed(kind) if part in _CLASSES), "")


def _compare(rows: Sequence[Row], hunk: list[int], effort: Effort, words: list[list[Span]]) -> None:
    """Removed lines with the added ones that follow at once, one by one."""
    runs = [list(group) for _, group in groupby(hunk, key=lambda at: rows[at].kind)]
    for before, after in pairwise(runs):
        if rows[before[0]].kind == "removed" and rows[after[0]].kind == "added":
            for old, new in zip(before, after, strict=False):
                if effort.pairs <= 0 or effort.is_over:
                    return
                effort.pairs -= 1
                words[old], words[new] = changed_words(rows[old].text, rows[new].text)


def changed_words(old: str, new: str) -> tuple[list[Span], list[Span]]:
    """The parts of each that the other has not; nothing where they are two different lines."""
    one, two = _WORD.findall(old), _WORD.findall(new)
    if max(len(one), len(two)) > WORDS_MOST or old == new:
        return [], []
    matcher = SequenceMatcher(None, one, two, autojunk=False)
    if matcher.ratio() < ALIKE:
        return [], []
    starts_one, starts_two = _starts(one), _starts(two)
    left: list[Span] = []
    right: list[Span] = []
    for what, a, b, c, d in matcher.get_opcodes():
        if what != "equal":
            if a < b:
                left.append((starts_one[a], starts_one[b], "word"))
            if c < d:
                right.append((starts_two[c], starts_two[d], "word"))
    return left, right


def _starts(words: Sequence[str]) -> list[int]:
    at = [0]
    for word in words:
        at.append(at[-1] + len(word))
    return at


def pieces(text: str, colours: Sequence[Span], words: Sequence[Span]) -> Iterator[tuple[str, str]]:
    """The text in order, each piece with its classes. Neither kind of spans overlaps itself."""
    named = [""] * len(text)
    for spans in (colours, words):
        for start, end, kind in spans:
            for at in range(start, min(end, len(text))):
                named[at] = f"{named[at]} {kind}".strip()
    start = 0
    for kind, group in groupby(named):
        end = start + sum(1 for _ in group)
        yield text[start:end], kind
        start = end
