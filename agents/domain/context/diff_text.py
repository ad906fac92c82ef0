"""A diff as text: which of it may be shown, and parts of it that are short enough to be read whole."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from agents.domain.context.packing import secret_path
from agents.domain.text.sanitize import one_line

HEADING, HUNK, BINARY = "diff --git ", "@@", "Binary files "
GOES_ON = "… "  # how the rest of a line begins that is longer than a part


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffPart:
    """Some lines of a diff, and how many of them were added or removed."""

    text: str
    changed: int = 0


def shown_diff(diff: str) -> tuple[str, list[str]]:
    """Without the files that may hold secrets; and which files nobody can read in it, each with the reason.

    Lines end at line feeds alone, as git counts them: another character must not let a line pass for a heading.
    """
    kept, unread, showing, path = list[str](), list[str](), True, ""
    for line in _lines(diff):
        if line.startswith(HEADING):
            path = path_in(line)
            showing = not secret_path(path)
            if not showing:
                unread.append(f"{path} (may hold secrets)")
        elif line.startswith(BINARY) and showing:
            unread.append(f"{path} (binary)")
        if showing:
            kept.append(line)
    return "".join(kept), unread


def path_in(heading: str) -> str:
    return one_line(heading.rstrip().rpartition(" b/")[2].strip('"'), 160)


def split(diff: str, most: int) -> list[DiffPart]:
    """In parts of at most about so many characters, cut between lines. Each says which file it goes on with."""
    parts, now, heading, inside = list[DiffPart](), DiffPart(text=""), "", False
    for line, first in _pieces(diff, most):
        if first and line.startswith(HEADING):
            heading, inside = line, False
        elif first and line.startswith(HUNK):
            inside = True
        if now.text and len(now.text) + len(line) > most:
            parts.append(now)
            now = DiffPart(text="" if line == heading else f"{heading.rstrip()} (goes on)\n")
        counted = first and inside and line[:1] in ("+", "-")
        now = replace(now, text=now.text + line, changed=now.changed + counted)
    return [*parts, now] if now.text else parts


def _pieces(diff: str, most: int) -> Iterator[tuple[str, bool]]:
    """Lines, and whether each begins there: one that is too long for a part goes on in the next."""
    for line in _lines(diff):
        yield line[:most], True
        for at in range(most, len(line), most):
            yield f"{GOES_ON}{line[at : at + most]}", False


def _lines(text: str) -> Iterator[str]:
    *whole, last = text.split("\n")
    yield from (f"{line}\n" for line in whole)
    if last:
        yield last
