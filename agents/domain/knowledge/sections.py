"""The sections of a file in Markdown, as a reader of the page sees them: comments are hidden, code has no headings."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

_HEADING = re.compile(r"(#{1,6})([ \t]*)(.*)")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_CODE_OR_COMMENT = re.compile(r"(`[^`]*`)|<!--")
_SAME = {"rule": "rules", "example": "examples", "why": "rationale", "reasons": "rationale", "changelog": "history"}
LONGEST = 40  # characters of a heading that may stand for a section of ours
OURS = ("rules", "examples", "rationale", "history")


@dataclass(slots=True)
class Section:
    title: str
    line: int
    lines: list[str] = field(default_factory=list)  # as they are written
    shown: list[str] = field(default_factory=list)  # as a reader of the page sees them

    @property
    def text(self) -> str:
        return "\n".join(self.lines).strip("\n").rstrip()

    @property
    def shown_text(self) -> str:
        return "\n".join(self.shown).strip("\n").rstrip()


def split_sections(text: str) -> list[Section]:
    """What stands before the first section, with the title, and the sections."""
    found, fence, hides = [Section("", 0)], "", False
    for number, line in enumerate(text.split("\n"), 1):
        mark = None if hides else _FENCE.match(line)
        if mark and (not fence or line.strip().startswith(fence)):
            fence = "" if fence else mark[1]
        is_code = not hides and bool(fence or mark or line.startswith(("    ", "\t")))
        shown, hides = (line, False) if is_code else _without_comments(line, hides)
        heading = None if is_code else _HEADING.fullmatch(shown)
        title = heading[3].strip() if heading and (heading[2] or own_name(heading[3])) else ""
        if heading and title and len(heading[1]) == 1 and not found[0].title and len(found) == 1:
            found[0].title, found[0].line = title, number
        elif heading and title and (len(heading[1]) <= 2 or own_name(title)):
            found.append(Section(title, number))
        else:
            found[-1].lines.append(line)
            found[-1].shown.append(shown)
    return found


def own_name(title: str) -> str:
    """Which of our sections a heading stands for, however it is put; empty: a person's own."""
    word = re.sub(r"^[\W\d_]+|[\W_]+$", "", title.casefold()) if len(title) <= LONGEST else ""
    word = _SAME.get(word, word)
    return word if word in OURS else ""


def _without_comments(line: str, hides: bool) -> tuple[str, bool]:
    """What of a line is seen, and whether a comment goes on behind it. In code there is none."""
    seen, rest = "", line
    while rest:
        if hides:
            _, end, rest = rest.partition("-->")
            hides = not end
            continue
        found = _CODE_OR_COMMENT.search(rest)
        if found is None:
            return seen + rest, False
        seen += rest[: found.end() if found[1] else found.start()]
        rest, hides = rest[found.end() :], not found[1]
    return seen, hides


def without_fences(lines: Sequence[str]) -> list[str]:
    return [line for line in lines if not _FENCE.match(line)]


def opens_or_closes(line: str) -> bool:
    """Whether code begins or ends there."""
    return bool(_FENCE.match(line))
