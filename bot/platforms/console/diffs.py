"""A diff as a part of a page: a list of its files, and a table a file in which every line has its own address.

Added and removed lines differ by sign and colour. It is plain HTML: reading it takes no script.
"""

import unicodedata
from dataclasses import dataclass
from html import escape

from bot.platforms.console.diff_marks import Effort, Span, mark_rows, pieces
from bot.platforms.console.diff_rows import LINE_MOST, DiffFile, Row, read_diff

_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


@dataclass(frozen=True, slots=True)
class FileLine:
    """A file in the list, and where it begins."""

    number: int
    name: str
    added: int
    removed: int
    page: int


@dataclass(frozen=True, slots=True)
class Drawn:
    """One page of a diff. All pages together show all of it."""

    html: str
    page: int
    pages: int
    files: tuple[FileLine, ...] = ()
    added: int = 0
    removed: int = 0


def diff_html(text: str, page: int = 1) -> Drawn:
    """Nothing in the diff becomes markup, and what a reader would not see is shown by its number.

    A page that there is not is the last one.
    """
    read = read_diff(text, page)
    if not read.files:
        return Drawn('<p class="diff-more">Nothing differs.</p>', 1, 1)
    effort = Effort()
    html = "".join(_file_html(file, effort) for file in read.files if file.here)
    listed = tuple(FileLine(f.number, show_name(f.name), f.plus, f.minus, f.starts_on) for f in read.files)
    added, removed = (sum(getattr(file, side) for file in read.files) for side in ("plus", "minus"))
    return Drawn(f'<div class="diff">{html}</div>', read.page, read.pages, listed, added, removed)


def show_name(name: str) -> str:
    """A path in one line, with nothing in it that cannot be seen; what shows it must still escape it."""
    return "".join(c if unicodedata.category(c) not in _UNSEEN else "?" for c in name[:LINE_MOST])


def _file_html(file: DiffFile, effort: Effort) -> str:
    counts = f'<span class="plus">+{file.plus}</span> <span class="minus">−{file.minus}</span>'
    marks = zip(*mark_rows(file.name, file.rows, effort), strict=True)
    id = f"f{file.number}"
    rows = "".join(_row_html(id, row, *each) for row, each in zip(file.rows, marks, strict=True))
    name = f"<code>{_escape(file.name)}</code>" if file.name else "Changes"
    label = escape(f"Changes of {show_name(file.name)}" if file.name else "Changes")
    return (
        f'<details class="diff-file" id="{id}" open><summary>{name} {counts}</summary>'
        f'<div class="diff-lines" tabindex="0"><table aria-label="{label}"><tbody>{rows}</tbody></table>'
        "</div></details>"
    )


_SIGNS = {"added": "+", "removed": "−", "same": ""}


def _row_html(file: str, row: Row, colours: list[Span], words: list[Span]) -> str:
    if row.kind not in _SIGNS:
        return f'<tr class="{row.kind}"><td colspan="4"><code>{_escape(row.text)}</code></td></tr>'
    id = f"{file}{row.anchor}" if row.anchor else ""
    numbers = "".join(f'<td class="number">{_number(number, id)}</td>' for number in (row.old, row.new))
    text = "".join(_piece(part, named) for part, named in pieces(row.text, colours, words))
    at = f' id="{id}"' if id else ""
    return (
        f'<tr class="{row.kind}"{at}>{numbers}<td class="sign">{_SIGNS[row.kind]}</td><td><code>{text}</code></td></tr>'
    )


def _number(number: int | None, id: str) -> str:
    """A link to the line itself. Nobody wants to step through thousands of them by key."""
    return "" if number is None else f'<a href="#{id}" tabindex="-1">{number}</a>'


def _piece(text: str, named: str) -> str:
    return f'<span class="{named}">{_escape(text)}</span>' if named else _escape(text)


def _escape(text: str) -> str:
    if text.isascii() and text.isprintable():
        return escape(text)
    return "".join(
        escape(c) if c == "\t" or unicodedata.category(c) not in _UNSEEN else f'<span class="odd">U+{ord(c):04X}</span>'
        for c in text
    )
