"""Reads a diff: its files with their lines, numbered as git numbers them, cut into pages."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

LINES_MOST = 5_000  # on a page
LETTERS_MOST = 1_000_000  # characters on a page
LINE_MOST = 2_000  # characters of a row; a longer line goes on in the next
_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@(.*)", re.S)
_KINDS = {"+": "added", "-": "removed", " ": "same"}


@dataclass(slots=True)
class Row:
    """A line, or a part of one that is too long: only the first part has numbers."""

    kind: str  # added, removed, same, hunk, note
    text: str
    old: int | None = None
    new: int | None = None

    @property
    def anchor(self) -> str:
        """“R12”: line 12 of the file as it is now; “L12”: as it was."""
        if self.new is not None:
            return f"R{self.new}"
        return f"L{self.old}" if self.old is not None else ""


@dataclass(slots=True)
class Window:
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
class DiffFile:
    """One file of a diff while it is read. Inside a hunk lines are counted, so that none can pass for a header."""

    window: Window
    number: int
    name: str = ""
    here: bool = False  # some of it is on the page
    starts_on: int = 1  # the page
    rows: list[Row] = field(default_factory=list)  # that are on the page
    counts: Counter[str] = field(default_factory=Counter)  # of all rows, by kind
    anchors: set[str] | None = None  # of all lines, where somebody wants to know
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
            self._keep(Row("hunk", line))
        elif line.startswith("+++ ") and line != "+++ /dev/null":
            self.name = line[4:].removeprefix("b/")
        elif not line.startswith(("--- ", "+++ ", "index ")):
            self._keep(Row("note", line))

    @property
    def inside(self) -> bool:
        return self.old_left > 0 or self.new_left > 0

    @property
    def plus(self) -> int:
        return self.counts["added"]

    @property
    def minus(self) -> int:
        return self.counts["removed"]

    def _line(self, sign: str, text: str) -> None:
        was, will = sign != "+", sign != "-"
        row = Row(_KINDS[sign], text, self.old if was else None, self.new if will else None)
        if self.anchors is not None:
            self.anchors.add(row.anchor)
        self._keep(row)
        self.old, self.old_left = self.old + was, self.old_left - was
        self.new, self.new_left = self.new + will, self.new_left - will

    def _keep(self, row: Row) -> None:
        self.counts[row.kind] += 1
        for at in range(0, max(len(row.text), 1), LINE_MOST):
            piece = row.text[at : at + LINE_MOST]
            if self.window.has(piece):
                self.here = True
                self.rows.append(Row(row.kind, piece) if at else Row(row.kind, piece, row.old, row.new))


@dataclass(frozen=True, slots=True)
class DiffPage:
    """`files` are all there are; those that are `here` have rows on this page."""

    files: tuple[DiffFile, ...]
    page: int
    pages: int


def read_diff(text: str, page: int = 1) -> DiffPage:
    """A page that there is not is the last one."""
    window = Window(wanted=max(page, 1))
    files = tuple(_files(lines_of(text), window))
    if window.page < window.wanted:
        return read_diff(text, window.page)
    return DiffPage(files, window.wanted, window.page)


def lines_in(text: str) -> list[tuple[str, frozenset[str]]]:
    """The name and the anchors of all lines of each file, by its number from 1."""
    files = _files(lines_of(text), Window(wanted=0), anchors=True)
    return [(file.name, frozenset(file.anchors or ())) for file in files]


def patch_of(text: str, number: int) -> str:
    """The part of a diff that is about one file; empty where there is no such file."""
    read = _with_files(lines_of(text), Window(wanted=0))
    found = [line for file, line in read if file.number == number]
    return "\n".join([*found, ""]) if found else ""


def lines_of(text: str) -> list[str]:
    lines = text.split("\n")
    if lines and not lines[-1]:
        lines.pop()
    return lines


def _files(lines: list[str], window: Window, *, anchors: bool = False) -> Iterator[DiffFile]:
    last = None
    for file, _ in _with_files(lines, window, anchors=anchors):
        if last is not None and file is not last:
            yield last
        last = file
    if last is not None:
        yield last


def _with_files(lines: list[str], window: Window, *, anchors: bool = False) -> Iterator[tuple[DiffFile, str]]:
    """Each line with the file that it is about, once it was taken in."""
    now = DiffFile(window, 1, anchors=set() if anchors else None)
    for at, line in enumerate(lines):
        if line.startswith("diff --git "):  # no line of a hunk begins so
            here = window.has(line)
            number = now.number + (at > 0)
            now = DiffFile(window, number, name_in(line), here, window.page, anchors=set() if anchors else None)
        else:
            now.take(line)
        yield now, line


def name_in(line: str) -> str:
    """From "diff --git a/x b/x"; names with blanks in them are told again by the lines that follow."""
    return line.removeprefix("diff --git ").rpartition(" b/")[2] or line
