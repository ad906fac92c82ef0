"""Comments on lines of a diff become the words of one press: what a person wrote, with path and line.

Nothing of the line itself is quoted: those words are a person's, and a repository's text never passes for them.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from bot.platforms.console.deliveries import Unsendable
from bot.platforms.console.diff_rows import lines_in
from bot.platforms.console.diffs import show_name

_LINE = re.compile(r"\s*([RL−-]?)\s*(\d{1,9})\s*")
_OLD = frozenset({"L", "-", "−"})
COMMENTS_MOST = 40


@dataclass(frozen=True, slots=True)
class Comment:
    file: str  # its number in the list, as the form says it
    line: str  # "12" or "R12": as it is now; "L12" or "-12": as it was
    text: str


def comments_in(fields: Iterable[tuple[str, str]]) -> list[Comment]:
    """From the fields of a form, in their order: each comment has a file, a line and a note. Empty notes are none."""
    columns: dict[str, list[str]] = {"file": [], "line": [], "note": []}
    for name, value in fields:
        if name in columns:
            columns[name].append(value)
    rows = zip(columns["file"], columns["line"], columns["note"], strict=False)
    return [Comment(file, line, note.strip()) for file, line, note in rows if note.strip()]


def put_together(words: str, comments: Sequence[Comment], diff: str) -> str:
    """What the person says in general, then a line for each comment: “src/a.py:12: rename this”."""
    if len(comments) > COMMENTS_MOST:
        raise Unsendable(f"There are more than {COMMENTS_MOST} comments", next_step="Send the most important ones.")
    files = lines_in(diff) if comments else []
    said = [f"{_place(comment, files)}: {comment.text}" for comment in comments]
    return "\n".join(part for part in (words.strip(), *said) if part)


def all_words(words: str, comments: Sequence[Comment]) -> str:
    """To be given back where something is wrong with them: nothing has to be written twice."""
    return "\n".join([words.strip(), *(f"line {each.line}: {each.text}" for each in comments)]).strip()


def _place(comment: Comment, files: Sequence[tuple[str, frozenset[str]]]) -> str:
    at = int(comment.file) if comment.file.isascii() and comment.file.isdigit() and len(comment.file) < 9 else 0
    found = _LINE.fullmatch(comment.line)
    if not 1 <= at <= len(files):
        raise Unsendable("A comment is on a file that this diff does not have", next_step="Choose one from the list.")
    name, anchors = files[at - 1]
    was = bool(found) and found[1] in _OLD  # type: ignore[index]
    number = int(found[2]) if found else 0
    if f"{'L' if was else 'R'}{number}" not in anchors:
        raise Unsendable(
            f"This diff does not show line {comment.line.strip()[:20] or '(none)'} of {show_name(name)}",
            next_step="Take a number that stands beside the line; −12 is line 12 as it was.",
        )
    return f"{show_name(name)}:{number}{' (as it was)' if was else ''}"
