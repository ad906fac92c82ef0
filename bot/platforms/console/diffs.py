"""A diff as a part of a page: a table a file, with line numbers; added and removed lines differ by sign and colour."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from html import escape

LINES_MOST = 5_000  # on a page
LETTERS_MOST = 1_000_000  # characters on a page
LINE_MOST = 2_000  # characters of a row; a longer line goes on in the next
_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@(.*)", re.S)
_KINDS = {"+": "added", "-": "removed", " ": "same"}
_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


@dataclass(frozen=True, slots=True)
class Drawn:
    """One page of a diff. All pages together show all of it."""

    html: str
    page: int
    pages: int


@dataclass(slots=True)
class _Row:
    kind: str  # added, removed, same, hunk, note
    text: str
    old: int | None = None
    new: int | None = None


@dataclass(slots=True)
class _Window:
    """Counts rows and says which of them are on the wanted page."""

    wanted: int
    page: int = 1
    rows: int = 0
    letters: int = 0

    def has(self, text: str) -> bool:
        if self.rows >= LINES_MOST or (self.rows and self.letters + len(text) > LETTERS_MOST):
            self.page, self.rows, self.letters = self.page + 1, 0, 0
        self.rows, self.letters = self.rows + 1, self.letters + len(text)
        return self.page == self.wanted


@dataclass(slots=True)
class _File:
    """One file of a diff while it is read. Inside a hunk lines are counted, so that none can pass for a header."""

    window: _Window
    name: str = ""
    here: bool = False  # some of it is on the page
    rows: list[_Row] = field(default_factory=list)  # that are on the page
    counts: Counter[str] = field(default_factory=Counter)  # of all rows, by kind
    old: int = 0  # the next line's number
    new: int = 0
    old_left: int = 0  # lines that the hunk still owes
    new_left: int = 0

    def take(self, line: str) -> None:
        sign = line[:1] or " "
        if self.inside and sign in _KINDS:
            self._line(sign, line[1:])
        elif found := _HUNK.fullmatch(line):
            self.old, self.new = int(found[1][:9]), int(found[3][:9])
            self.old_left, self.new_left = int((found[2] or "1")[:9]), int((found[4] or "1")[:9])
            self._keep(_Row("hunk", line))
        elif line.startswith("+++ ") and line != "+++ /dev/null":
            self.name = line[4:].removeprefix("b/")
        elif not line.startswith(("--- ", "+++ ", "index ")):
            self._keep(_Row("note", line))

    @property
    def inside(self) -> bool:
        return self.old_left > 0 or self.new_left > 0

    def _line(self, sign: str, text: str) -> None:
        was, will = sign != "+", sign != "-"
        self._keep(_Row(_KINDS[sign], text, self.old if was else None, self.new if will else None))
        self.old, self.old_left = self.old + was, self.old_left - was
        self.new, self.new_left = self.new + will, self.new_left - will

    def _keep(self, row: _Row) -> None:
        self.counts[row.kind] += 1
        for at in range(0, max(len(row.text), 1), LINE_MOST):
            piece = row.text[at : at + LINE_MOST]
            if self.window.has(piece):
                self.rows.append(_Row(row.kind, piece) if at else _Row(row.kind, piece, row.old, row.new))


def diff_html(text: str, page: int = 1) -> Drawn:
    """Nothing in the diff becomes markup, and what a reader would not see is shown by its number.

    A page that there is not is the last one.
    """
    lines = text.split("\n")
    if lines and not lines[-1]:
        lines.pop()
    window = _Window(wanted=max(page, 1))
    files = list(_files(lines, window))
    if window.page < window.wanted:
        return diff_html(text, window.page)
    if not files:
        return Drawn('<p class="diff-more">Nothing differs.</p>', 1, 1)
    return Drawn(f'<div class="diff">{"".join(map(_file_html, files))}</div>', window.wanted, window.page)


def _files(lines: list[str], window: _Window) -> Iterator[_File]:
    """Those of which something is on the page."""
    now = _File(window)
    for line in lines:
        if line.startswith("diff --git "):
            if now.rows or now.here:
                yield now
            now = _File(window, name=_name(line), here=window.has(line))
        else:
            now.take(line)
    if now.rows or now.here:
        yield now


def _name(line: str) -> str:
    """From "diff --git a/x b/x"; names with blanks in them are told again by the lines that follow."""
    return line.removeprefix("diff --git ").rpartition(" b/")[2] or line


def _file_html(file: _File) -> str:
    added, removed = file.counts["added"], file.counts["removed"]
    counts = f'<span class="plus">+{added}</span> <span class="minus">−{removed}</span>'
    rows = "".join(map(_row_html, file.rows))
    name = f"<code>{_escape(file.name)}</code>" if file.name else "Changes"
    return (
        f'<details class="diff-file" open><summary>{name} {counts}</summary>'
        f'<div class="diff-lines" tabindex="0"><table aria-label="{_label(file.name)}"><tbody>{rows}</tbody></table>'
        "</div></details>"
    )


_SIGNS = {"added": "+", "removed": "−", "same": ""}


def _row_html(row: _Row) -> str:
    if row.kind not in _SIGNS:
        return f'<tr class="{row.kind}"><td colspan="4"><code>{_escape(row.text)}</code></td></tr>'
    old, new = (str(number) if number is not None else "" for number in (row.old, row.new))
    return (
        f'<tr class="{row.kind}"><td class="number">{old}</td><td class="number">{new}</td>'
        f'<td class="sign">{_SIGNS[row.kind]}</td><td><code>{_escape(row.text)}</code></td></tr>'
    )


def _escape(text: str) -> str:
    return "".join(
        escape(c) if c == "\t" or unicodedata.category(c) not in _UNSEEN else f'<span class="odd">U+{ord(c):04X}</span>'
        for c in text
    )


def _label(name: str) -> str:
    """For those who hear it: nothing in it that cannot be said."""
    told = "".join(c if unicodedata.category(c) not in _UNSEEN else "?" for c in name[:LINE_MOST])
    return escape(f"Changes of {told}" if told else "Changes")
