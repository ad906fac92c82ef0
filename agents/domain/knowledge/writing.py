"""What becomes of notes when changes are written: the one way in which a note comes into a repository."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from agents.domain.knowledge.document import (
    INDEX,
    MOST_CHANGES,
    Note,
    Past,
    Status,
    dedent,
    render_index,
    render_note,
    tidy_rule,
)
from agents.domain.knowledge.note import Carried, Confirmation as Confirmation, Move, NoteChange, Supervisor, faults
from agents.domain.text.redact import Redact
from agents.domain.text.sanitize import clean, one_line

SIGNED: dict[Supervisor, str] = {
    Supervisor.CODE_STYLE: "code_style_supervisor",
    Supervisor.DESIGN: "design_supervisor",
    Supervisor.INTERNALISER: "internaliser",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Writing:
    """A change that may be written. Not confirmed: it is provisional."""

    change: NoteChange
    at: datetime  # when it was suggested or confirmed; the note's history says the day
    confirmed: Confirmation | None = None

    @property
    def status(self) -> Status:
        if self.change.deprecates:
            return Status.DEPRECATED
        return Status.ESTABLISHED if self.confirmed else Status.PROVISIONAL


def tidy_change(change: NoteChange) -> NoteChange:
    """As it would be read again: nothing that a reader does not see, no blanks around."""
    return replace(
        change,
        title=" ".join(_seen(change.title).split()),
        rules=tuple(tidy_rule(_seen(rule)) for rule in change.rules),
        good=_tidy_example(change.good),
        bad=_tidy_example(change.bad),
        rationale="\n".join(line.rstrip() for line in _seen(change.rationale).strip().split("\n")),
        what=one_line(_seen(change.what), 100),
    )


def _seen(text: str) -> str:
    """Nothing in it hides what follows from whoever reads the page."""
    return clean(text).replace("<!--", "<! --")


def _tidy_example(text: str) -> str:
    return dedent(clean(text).split("\n"))


def note_after(before: Note | None, writing: Writing) -> Note:
    """The note as the change leaves it. What was established and says something else now is provisional again."""
    change = tidy_change(writing.change)
    said = change.what or _move(before, writing)
    past = Past(day=f"{writing.at:%Y-%m-%d}", by=SIGNED[change.by], task=change.task, what=one_line(said, 100))
    old = before or Note(folder=change.folder, slug=change.slug, title=change.title)
    text = old if change.deprecates and not change.rules else change
    return Note(
        folder=change.folder,
        slug=change.slug,
        title=text.title,
        status=writing.status,
        updated=f"{past.by}, {past.task}",
        rules=text.rules,
        good=text.good,
        bad=text.bad,
        rationale=text.rationale,
        history=(*old.history, past)[-MOST_CHANGES:],
        intro=old.intro,
        more=old.more,
    )


def _move(before: Note | None, writing: Writing) -> Move:
    if writing.change.deprecates:
        return Move.DEPRECATED
    if before is None:
        return Move.ADDED
    same = (before.rules, before.title) == (writing.change.rules, writing.change.title)
    return Move.ESTABLISHED if same and writing.confirmed else Move.CHANGED


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """What a commit of notes holds."""

    files: Mapping[str, bytes] = field(default_factory=dict)
    carried: tuple[Carried, ...] = ()


NOTHING = Written()


def write_notes(known: Mapping[str, Note], writings: Iterable[Writing], redact: Redact = str) -> Written:
    """The files to write, the index among them; none where nothing differs. What is no proper change, or looks as if it
    told a secret, is left out."""
    notes, carried = dict(known), list[Carried]()
    for writing in writings:
        change = tidy_change(writing.change)
        before = notes.get(change.name)
        if faults(change) or (change.deprecates and before is None) or _is_there(before, change, writing):
            continue
        after = note_after(before, writing)
        if redact(render_note(after)) != render_note(after):
            continue
        notes[change.name] = after
        rules = before.rules if before else ()
        sure = after.status is Status.ESTABLISHED
        carried.append(Carried(change=change, move=_move(before, writing), established=sure, before=rules))
    if not carried:
        return NOTHING
    paths = [notes[name].path for name in sorted({each.change.name for each in carried})]
    by_path = {note.path: note for note in notes.values()}
    files = {path: render_note(by_path[path]).encode() for path in paths}
    return Written(files={**files, INDEX: render_index(list(notes.values())).encode()}, carried=tuple(carried))


def _is_there(before: Note | None, change: NoteChange, writing: Writing) -> bool:
    """Whether the repository says it already: a change that is written again is no second line of history."""
    if before is None:
        return False
    if change.deprecates:
        return before.status is Status.DEPRECATED
    same = ("title", "rules", "good", "bad", "rationale")
    says_it = all(getattr(before, name) == getattr(change, name) for name in same)
    enough = (Status.ESTABLISHED,) if writing.confirmed else (Status.ESTABLISHED, Status.PROVISIONAL)
    return says_it and before.status in enough
