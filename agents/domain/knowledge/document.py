"""The form of a note in `docs/knowledge/`: read with kindness to people who write by hand, written in one way only."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from agents.domain.knowledge.note import LINE, RULES, Folder, number_rules, written_size
from agents.domain.text.sanitize import clean, hidden_in

PLACE = "docs/knowledge"
INDEX = f"{PLACE}/_index.md"
LARGEST = 16 * 1024  # bytes of a note
MOST_CHANGES = 20  # that a note's history keeps
BY_HAND = "a person"
# Anybody writes these files: each pattern reads a line once, however long it is and whatever it repeats.
_HEADING = re.compile(r"(#{1,6})\s+(.*)")
_UPDATED = re.compile(r"[_*]*\s*Last updated by:(.*)", re.IGNORECASE)
_STATUS = re.compile(r"[_*]*\s*Status:(.*)", re.IGNORECASE)
_ITEM = re.compile(r"(?:[-*+]|\d{1,3}[.)])\s+(.*)")
_EXAMPLE = re.compile(r"[*_#\s]*(good|bad)\s*:?[*_]*\s*:?\s*(.*)", re.IGNORECASE)
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_CHANGE = re.compile(r"[-*+]\s([^,]*),([^,]*),([^:]*):(.*)")


class Status(StrEnum):
    PROVISIONAL = "provisional"  # a supervisor's best guess
    ESTABLISHED = "established"  # a person confirmed it
    DEPRECATED = "deprecated"  # it no longer applies


@dataclass(frozen=True, slots=True, kw_only=True)
class Past:
    """One line of a note's history: who changed what, after which task."""

    day: str
    by: str
    task: str
    what: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    folder: Folder
    slug: str
    title: str
    status: Status = Status.PROVISIONAL
    updated: str = ""  # by whom, after which task; empty: by a person, who did not say
    rules: tuple[str, ...] = ()
    good: str = ""
    bad: str = ""
    rationale: str = ""
    history: tuple[Past, ...] = ()
    more: tuple[tuple[str, str], ...] = ()  # sections of a person's own; they stay, and no model is shown them
    hidden: int = 0  # characters that a reader would not have seen

    @property
    def name(self) -> str:
        """What verdicts cite, and people say."""
        return f"{self.folder}/{self.slug}"

    @property
    def path(self) -> str:
        return f"{PLACE}/{self.name}.md"

    @property
    def words(self) -> str:
        """What it is searched by."""
        return "\n".join((self.name, self.title, *self.rules, self.good, self.bad, self.rationale))


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """Why a file is not read as a note: where, what, and what to do."""

    path: str
    line: int = 0  # 0: the whole
    what: str
    next_step: str


class NoteError(Exception):
    """Carries the problem to whoever reads the file."""

    def __init__(self, line: int, what: str, next_step: str) -> None:
        super().__init__(what)
        self.line, self.what, self.next_step = line, what, next_step


@dataclass(slots=True)
class _Section:
    title: str
    line: int
    lines: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        return "\n".join(self.lines).strip("\n").rstrip()


def read_note(folder: Folder, slug: str, content: bytes) -> Note | Problem:
    """A note, or why it is none. Nothing in it is believed beyond its form."""
    path = f"{PLACE}/{folder}/{slug}.md"
    try:
        return _read(folder, slug, content)
    except NoteError as problem:
        return Problem(path=path, line=problem.line, what=problem.what, next_step=problem.next_step)


def _read(folder: Folder, slug: str, content: bytes) -> Note:
    if len(content) > LARGEST:
        raise NoteError(0, f"it is longer than {LARGEST // 1024} KB", "Split it: one concern a note.")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise NoteError(line, "it is not UTF-8 text", "Save it as UTF-8.") from error
    head, *sections = _split(clean(text))
    known = {_known(section.title): section for section in reversed(sections)}
    if not head.title:
        raise NoteError(1, "it has no title", "Begin it with a line such as `# Error handling`.")
    if len(head.title) > LINE:
        raise NoteError(head.line, f"its title is longer than {LINE} characters", "Shorten it.")
    status, updated = _read_head(head)
    rules = known.get("rules")
    if rules is None:
        raise NoteError(0, "it has no rules", "Add a section `## Rules` with one rule a line, such as `1. Do this`.")
    good, bad = _read_examples(known.get("examples"))
    own = ("rules", "examples", "rationale", "history")
    return Note(
        folder=folder,
        slug=slug,
        title=head.title,
        status=status,
        updated=updated,
        rules=_read_rules(rules, status),
        good=good,
        bad=bad,
        rationale=_unescape(known["rationale"].text) if "rationale" in known else "",
        history=tuple(_read_history(known.get("history"))),
        more=tuple((each.title, each.text) for each in sections if _known(each.title) not in own),
        hidden=hidden_in(text),
    )


def _split(text: str) -> list[_Section]:
    """What stands before the first section, with the title, and the sections; code in fences has no headings."""
    found, fence = [_Section("", 0)], ""
    for number, line in enumerate(text.split("\n"), 1):
        mark = _FENCE.match(line)
        if mark and (not fence or line.strip().startswith(fence)):
            fence = "" if fence else mark[1]
        heading = None if fence or mark else _HEADING.fullmatch(line)
        depth, title = (len(heading[1]), heading[2].rstrip()) if heading else (0, "")
        if depth == 1 and not found[0].title and len(found) == 1:
            found[0].title, found[0].line = title, number
        elif depth and (depth <= 2 or _known(title)):
            found.append(_Section(title, number))
        else:
            found[-1].lines.append(line)
    return found


def _known(title: str) -> str:
    """The section that a heading stands for, however it is put; empty: a person's own."""
    word = title.casefold().strip(" :*_")
    same = {"rule": "rules", "example": "examples", "why": "rationale", "reasons": "rationale", "changelog": "history"}
    word = same.get(word, word)
    return word if word in ("rules", "examples", "rationale", "history") else ""


def _read_head(head: _Section) -> tuple[Status, str]:
    status, updated = Status.PROVISIONAL, ""
    for at, line in enumerate(head.lines, 1):
        number = at + (0 < head.line <= at)  # the title is not among them
        if found := _STATUS.fullmatch(line.strip()):
            if (said := _bare(found[1])).casefold() not in set(Status):
                choices = ", ".join(Status)
                raise NoteError(
                    number, f"“{said[:LINE]}” is no status", f"Write one of {choices}, or leave the line out."
                )
            status = Status(said.casefold())
        elif found := _UPDATED.fullmatch(line.strip()):
            updated = _bare(found[1])
    return status, updated


def _bare(said: str) -> str:
    """Without what sets it in italics."""
    return said.rstrip().rstrip("_*").strip()


def _read_rules(section: _Section, status: Status) -> tuple[str, ...]:
    rules = list[str]()
    for line in section.lines:
        if found := _ITEM.fullmatch(line.strip()):
            rules.append(found[1].strip())
        elif line.strip() and rules:
            rules[-1] = f"{rules[-1]} {line.strip()}"  # one that goes on in the next line
        elif line.strip():
            rules.append(line.strip())
    rules = [rule for rule in rules if rule]
    if not rules and status is not Status.DEPRECATED:
        raise NoteError(section.line, "its rules are empty", "Write one rule a line, such as `1. Do this`.")
    if (size := written_size(rules)) > RULES:
        advice = "Shorten them, or split it: one concern a note."
        raise NoteError(section.line, f"its rules have {size} characters, {RULES} are the most", advice)
    return tuple(rules)


def _read_examples(section: _Section | None) -> tuple[str, str]:
    parts: dict[str, list[str]] = {"good": [], "bad": []}
    into: list[str] | None = None
    for line in section.lines if section else []:
        found = None if line.startswith((" ", "\t")) else _EXAMPLE.fullmatch(line)
        if found and (into is None or ":" in line or line.lstrip().startswith(("#", "*"))):
            into = parts[found[1].casefold()]
            into += [found[2]] if found[2] else []
        elif into is not None:
            into.append(line)
    return dedent(parts["good"]), dedent(parts["bad"])


def dedent(lines: Sequence[str]) -> str:
    lines = [line.rstrip() for line in lines]
    while lines and not lines[0]:
        lines = lines[1:]
    while lines and not lines[-1]:
        lines = lines[:-1]
    margin = min((len(line) - len(line.lstrip()) for line in lines if line), default=0)
    return "\n".join(line[margin:] for line in lines)


def _read_history(section: _Section | None) -> Iterator[Past]:
    for line in section.lines if section else []:
        if found := _CHANGE.fullmatch(line.strip()):
            day, by, task, what = map(str.strip, found.groups())
            yield Past(day=day, by=by, task=task, what=what)


def render_note(note: Note) -> str:
    """The one form in which notes are written. What is read from it is the note again."""
    examples = [part for part in (_example("Good", note.good), _example("Bad", note.bad)) if part]
    sections = (
        ("Rules", number_rules(note.rules)),
        ("Examples", "\n\n".join(examples)),
        ("Rationale", _escape(note.rationale.strip())),
        ("History", "\n".join(f"- {each.day}, {each.by}, {each.task}: {each.what}" for each in note.history)),
        *note.more,
    )
    head = f"# {note.title}\n\n_Last updated by: {note.updated or BY_HAND}_\n_Status: {note.status}_\n"
    return head + "".join(f"\n## {title}\n\n{text}\n" for title, text in sections if text or title == "Rules")


def _example(word: str, text: str) -> str:
    return f"{word}:\n\n" + "\n".join(f"    {line}".rstrip() for line in text.split("\n")) if text else ""


_BEGINS = r"(\\*(?:#|`{3}|~{3}))"


def _escape(text: str) -> str:
    """No line of a rationale begins a section."""
    return re.sub(rf"^( {{0,3}}){_BEGINS}", r"\1\\\2", text, flags=re.MULTILINE)


def _unescape(text: str) -> str:
    return re.sub(rf"^( {{0,3}})\\{_BEGINS}", r"\1\2", text, flags=re.MULTILINE)


def render_index(notes: Sequence[Note]) -> str:
    """All notes by folder, one a line: what is there, and how far it is to be believed."""
    parts = ["# What this project has learnt\n\n_Kept by Overlord. Change the notes; this list is made from them._\n"]
    for folder in Folder:
        lines = [
            f"- [{note.title}]({folder}/{note.slug}.md), {note.status}"
            for note in sorted(notes, key=lambda each: each.slug)
            if note.folder is folder
        ]
        if lines:
            parts.append(f"\n## {folder.capitalize()}\n\n" + "\n".join(lines) + "\n")
    return "".join(parts)
