"""The form of a note in `docs/knowledge/`: read with kindness to people who write by hand, written in one way only."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from agents.domain.knowledge.note import LINE, RULES, Folder, number_rules, written_size
from agents.domain.knowledge.sections import Section, opens_or_closes, own_name, split_sections, without_fences
from agents.domain.text.sanitize import clean, hidden_in

PLACE = "docs/knowledge"
INDEX = f"{PLACE}/_index.md"
LARGEST = 16 * 1024  # bytes of a note
MOST_CHANGES = 20  # that a note's history keeps
BY_HAND = "a person"
# What ends each of them takes all that is left, so that no line is long to read.
_UPDATED = re.compile(r"[_*\s]{0,9}Last updated by:(.*)", re.IGNORECASE)
_STATUS = re.compile(r"[\W_]{0,9}Status[*_\s]{0,9}:(.*)", re.IGNORECASE)
_AROUND = " \t_*`\"'.!>~-"
_ITEM = re.compile(r"(?:[-*+•]|\d{1,3}[.)]|[a-z]\))\s+(.*)")
_BOX = re.compile(r"\[[ xX]\]\s+")
_EXAMPLE = re.compile(r"[\W_]*(good|bad)\s*:?[*_]*\s*:?\s*(.*)", re.IGNORECASE)
_OTHERWISE = re.compile(r"[\W_]*(do|right|prefer|don.t|wrong|avoid)[\W_]*", re.IGNORECASE)
_GOOD = ("good", "do", "right", "prefer")
_FRONT_ENDS = ("---", "+++")
_FRONT = re.compile(r"title\s{0,9}[:=](.*)", re.IGNORECASE)


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
    intro: str = ""  # what a person wrote below the title; it stays, too
    more: tuple[tuple[str, str], ...] = ()  # sections of a person's own; they stay, and no model is shown them
    hidden: int = 0  # characters that no reader would have seen

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
    head, *sections = split_sections(clean(text))
    known = {own_name(section.title): section for section in reversed(sections)}
    head.title = head.title or _title_in_front(head.lines)
    if not head.title:
        raise NoteError(1, "it has no title", "Begin it with a line such as `# Error handling`.")
    if len(head.title) > LINE:
        raise NoteError(head.line, f"its title is longer than {LINE} characters", "Shorten it.")
    status, updated = _read_head(head)
    rules = known.get("rules")
    if rules is None:
        raise NoteError(0, "it has no rules", "Add a section `## Rules` with one rule a line, such as `1. Do this`.")
    good, bad = _read_examples(known.get("examples"))
    return Note(
        folder=folder,
        slug=slug,
        title=head.title,
        status=status,
        updated=updated,
        rules=_read_rules(rules, status),
        good=good,
        bad=bad,
        rationale=_unescape(known["rationale"].shown_text) if "rationale" in known else "",
        history=tuple(_read_history(known.get("history"))),
        intro=_intro(head.lines),
        more=tuple((each.title, each.text) for each in sections if not own_name(each.title)),
        hidden=hidden_in(text),
    )


def _title_in_front(lines: Sequence[str]) -> str:
    """Where the file begins with a block of settings, as makers of web pages have it."""
    if not lines or lines[0].strip() not in _FRONT_ENDS:
        return ""
    found = (_FRONT.fullmatch(line.strip()) for line in lines[1:20])
    return next((each[1].strip(_AROUND) for each in found if each), "")


def _intro(lines: Sequence[str]) -> str:
    if lines and lines[0].strip() in _FRONT_ENDS:
        end = next((at for at, line in enumerate(lines[1:], 1) if line.strip() in _FRONT_ENDS), 0)
        lines = lines[end + 1 :]
    kept = (line for line in lines if not (_STATUS.fullmatch(line.strip()) or _UPDATED.fullmatch(line.strip())))
    return "\n".join(kept).strip("\n").rstrip()


def _read_head(head: Section) -> tuple[Status, str]:
    status, updated = Status.PROVISIONAL, ""
    for at, line in enumerate(head.shown, 1):
        number = at + (0 < head.line <= at)  # the title is not among them
        if found := _STATUS.fullmatch(line.strip()):
            said = found[1].partition("(")[0].strip(_AROUND)
            if said.casefold() not in set(Status):
                choices = ", ".join(Status)
                raise NoteError(
                    number, f"“{said[:LINE]}” is no status", f"Write one of {choices}, or leave the line out."
                )
            status = Status(said.casefold())
        elif found := _UPDATED.fullmatch(line.strip()):
            updated = found[1].strip(" _*")
    return status, updated


def _read_rules(section: Section, status: Status) -> tuple[str, ...]:
    rules = list[str]()
    for line in without_fences(section.shown):
        if found := _ITEM.fullmatch(line.strip()):
            rules.append(found[1])
        elif line.strip() and rules:
            rules[-1] = f"{rules[-1]} {line.strip()}"  # one that goes on in the next line
        elif line.strip():
            rules.append(line.strip())
    rules = [plain for rule in rules if (plain := tidy_rule(rule))]
    if not rules and status is not Status.DEPRECATED:
        raise NoteError(section.line, "its rules are empty", "Write one rule a line, such as `1. Do this`.")
    if (size := written_size(rules)) > RULES:
        advice = "Shorten them, or split it: one concern a note."
        raise NoteError(section.line, f"its rules have {size} characters, {RULES} are the most", advice)
    return tuple(rules)


def _read_examples(section: Section | None) -> tuple[str, str]:
    """What stands before any name is a good one."""
    good, bad = list[str](), list[str]()
    into, is_named, is_code = good, False, False
    for line in section.shown if section else []:
        found = None if is_code else _example_name(line, is_named)
        is_code ^= opens_or_closes(line)
        if found:
            into, is_named = good if found[0] in _GOOD else bad, True
            into += [found[1]] if found[1] else []
        else:
            into.append(line)
    return dedent(good), dedent(bad)


def _example_name(line: str, is_named: bool) -> tuple[str, str] | None:
    """The name of an example, and what stands behind it in the same line."""
    if line.startswith((" ", "\t")):
        return None
    is_marked = ":" in line or line.startswith(("#", "*"))
    if (found := _EXAMPLE.fullmatch(line)) and (is_marked or not is_named):
        return found[1].casefold(), found[2]
    other = _OTHERWISE.fullmatch(line) if is_marked else None
    return (other[1].casefold(), "") if other else None


def dedent(lines: Sequence[str]) -> str:
    lines = [line.rstrip() for line in lines]
    while lines and not lines[0]:
        lines = lines[1:]
    while lines and not lines[-1]:
        lines = lines[:-1]
    margin = min((len(line) - len(line.lstrip()) for line in lines if line), default=0)
    return "\n".join(line[margin:] for line in lines)


def _read_history(section: Section | None) -> Iterator[Past]:
    for line in section.shown if section else []:
        day, _, rest = line.strip().partition(",")
        by, _, rest = rest.partition(",")
        task, colon, what = rest.partition(":")
        if day[:2] in ("- ", "* ", "+ ") and colon:
            yield Past(day=day[2:].strip(), by=by.strip(), task=task.strip(), what=what.strip())


def tidy_rule(rule: str) -> str:
    """As it is read again."""
    return _BOX.sub("", " ".join(rule.split()), count=1)


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
    head += f"\n{note.intro}\n" if note.intro else ""
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
