"""Small faults planted in programs whose language is not read: one sign, word or number of a line is another."""

import re
from collections.abc import Iterator

_SKIPPED = re.compile(r"^\s*(//|/?\*|#|import\b|use\b|package\b|export \*|module\b|require\b|\"use strict\")")
_CHANGES: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), instead)
    for pattern, instead in (
        (r"(?<=\S) \+ (?=\S)", " - "),
        (r"(?<=\S) - (?=\S)", " + "),
        (r"(?<=\S) \* (?=\S)", " + "),
        (r"(?<=\S) / (?=\S)", " * "),
        (r" === ", " !== "),
        (r" !== ", " === "),
        (r" == ", " != "),
        (r" != ", " == "),
        (r" <= ", " > "),
        (r" >= ", " < "),
        (r"(?<=[\w)\]]) < (?=[\w(])", " >= "),
        (r"(?<=[\w)\]]) > (?=[\w(])", " <= "),
        (r" && ", " || "),
        (r" \|\| ", " && "),
        (r"\btrue\b", "false"),
        (r"\bfalse\b", "true"),
        (r"\.sum\(", ".product("),
        (r"\bmax\(", "min("),
        (r"\bmin\(", "max("),
        (r"\.some\(", ".every("),
        (r"\.any\(", ".all("),
        (r"\.all\(", ".any("),
        (r"(?<![\w.\"'])([1-9]\d{0,3})(?![\w.\"'])", "1\\g<1>"),
    )
)


_UNTYPED = ((re.compile(r"\breturn (?!null\b|undefined\b)[^;\n]+;"), "return null;"),)


def faults_in_text(text: str, *, is_typed: bool) -> Iterator[str]:
    """The whole text each time, with one change: one kind of change after the other. `is_typed`: where only a value of
    its type may be returned."""
    lines = text.splitlines(keepends=True)
    for pattern, instead in (*_CHANGES, *(() if is_typed else _UNTYPED)):
        for at, line in enumerate(lines):
            if not _SKIPPED.match(line) and pattern.search(line):
                yield "".join((*lines[:at], pattern.sub(instead, line, count=1), *lines[at + 1 :]))
