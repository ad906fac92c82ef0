"""What supervisors are asked for, and what is taken of it: only what their own part is, about files that are there."""

import re
import unicodedata
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Annotated

from pydantic import BaseModel

from agents.domain.checks.scope import odd_path
from agents.domain.ids import TaskId, fingerprint
from agents.domain.knowledge.document import PLACE
from agents.domain.knowledge.note import LINE, Folder, NoteChange, Supervisor, faults
from agents.domain.planning.decomposition import Confidence
from agents.domain.skills.scan import NO_NOTE, scan
from agents.domain.supervision.directive import (
    MOST_FILES,
    WORDS,
    Directive,
    DirectiveType,
    Priority,
    directive_id,
    in_order,
)
from agents.domain.text.sanitize import AnswerBound, Line, Name, clean, one_line, or_else

MOST_ITEMS = 5  # directives, and notes, of one run; of more the others are left out
READ_ITEMS = 20

_PATH = re.compile(r"[\w./-]+")  # a name that says where, too
Said = Annotated[str, AnswerBound(400)]
Summary = Annotated[str, AnswerBound(600)]
Few = AnswerBound(READ_ITEMS)


class DirectiveSays(BaseModel):
    type: DirectiveType
    description: Annotated[str, AnswerBound(2 * WORDS, least=1)]
    rationale: Said = ""
    priority: Priority = Priority.NORMAL
    files: Annotated[tuple[Name, ...], AnswerBound(MOST_FILES)] = ()


class NoteSays(BaseModel):
    name: Name  # small letters, digits and dashes
    title: Annotated[str, AnswerBound(LINE, least=1)]
    folder: Name = ""
    rules: Annotated[tuple[Annotated[str, AnswerBound(300)], ...], AnswerBound(8)] = ()
    good: Line = ""
    bad: Line = ""
    rationale: Line = ""
    changed: Said = ""
    confidence: Confidence = Confidence.MEDIUM
    needs_user_review: bool = False


class CodeStyleAnswer(BaseModel):
    conventions_updated: Annotated[tuple[NoteSays, ...], Few] = ()
    directives: Annotated[tuple[DirectiveSays, ...], Few] = ()
    summary: Summary


class DesignAnswer(BaseModel):
    design_updates: Annotated[tuple[NoteSays, ...], Few] = ()
    directives: Annotated[tuple[DirectiveSays, ...], Few] = ()
    summary: Summary


class Category(StrEnum):
    LESSON = "lesson"
    DOMAIN = "domain"


class KnowledgeItem(BaseModel):
    category: Annotated[Category | None, or_else(None)] = None
    title: Annotated[str, AnswerBound(LINE)] = ""
    content: Annotated[str, AnswerBound(300, least=1)]
    source_task: Name = ""
    confidence: Confidence = Confidence.MEDIUM
    needs_user_review: bool = False


class InternaliserAnswer(BaseModel):
    knowledge_items: Annotated[tuple[KnowledgeItem, ...], Few] = ()
    summary: Summary


Answer = CodeStyleAnswer | DesignAnswer | InternaliserAnswer
SHAPES: dict[Supervisor, type[Answer]] = {
    Supervisor.CODE_STYLE: CodeStyleAnswer,
    Supervisor.DESIGN: DesignAnswer,
    Supervisor.INTERNALISER: InternaliserAnswer,
}
# What each may ask for. Nobody asks for anything but its own.
ASKS: dict[Supervisor, frozenset[DirectiveType]] = {
    Supervisor.CODE_STYLE: frozenset({DirectiveType.CLEANUP}),
    Supervisor.DESIGN: frozenset({DirectiveType.FUNCTIONAL}),
    Supervisor.INTERNALISER: frozenset(),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """Whose answer it is, in which call, and the files that there are."""

    by: Supervisor
    call: str
    task: TaskId
    files: Collection[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    summary: str
    directives: tuple[Directive, ...] = ()
    notes: tuple[NoteChange, ...] = ()
    refused: tuple[str, ...] = ()


def take(answer: Answer, asking: Asking) -> Found:
    """What of an answer counts; what does not is named with the reason."""
    refused = list[str]()
    notes = list[NoteChange]()
    for note in _notes(answer, asking):
        if isinstance(note, str):
            refused.append(note)
        elif why := [*faults(note), *_orders(note)]:
            refused.append(one_line(f"note {note.name}: {'; '.join(why)}", 300))
        else:
            notes.append(note)
    wanted = list[Directive]()
    for said in () if isinstance(answer, InternaliserAnswer) else answer.directives:
        if said.type not in ASKS[asking.by]:
            refused.append(one_line(f"{said.type} directive: not its part: {clean(said.description)}", 300))
        else:
            wanted.append(_directive(said, asking))
    first = in_order(wanted)
    too_many = [each.description for each in first[MOST_ITEMS:]] + [each.name for each in notes[MOST_ITEMS:]]
    refused += [one_line(f"more than {MOST_ITEMS}: {each}", 300) for each in too_many]
    return Found(
        summary=one_line(clean(answer.summary), 400),
        directives=first[:MOST_ITEMS],
        notes=tuple(notes[:MOST_ITEMS]),
        refused=tuple(refused),
    )


def _orders(note: NoteChange) -> list[str]:
    """A note that a repository talked a model into is not even put to a person."""
    text = "\n".join((note.title, *note.rules, note.good, note.bad, note.rationale, note.what))
    return list(dict.fromkeys(f"it holds {each.what}" for each in scan(text) if each.what in NO_NOTE))


def _directive(said: DirectiveSays, asking: Asking) -> Directive:
    """A path that is not there names nothing that anybody could be sent to."""
    files = tuple(dict.fromkeys(path for path in said.files if path in asking.files and not odd_path(path)))
    made = Directive(
        id="",
        type=said.type,
        source=asking.by,
        description=one_line(clean(said.description), WORDS),
        rationale=one_line(clean(said.rationale), WORDS),
        priority=_priority(said),
        files=files,
        task=asking.task,
    )
    return replace(made, id=directive_id(asking.call, asking.by, made.likeness))


def _priority(said: DirectiveSays) -> Priority:
    """A cleanup stops nobody's work, however important it is called."""
    return Priority.LOW if said.type is DirectiveType.CLEANUP else said.priority


def _notes(answer: Answer, asking: Asking) -> Iterator[NoteChange | str]:
    """What is to be written; or why one is not."""
    match answer:
        case CodeStyleAnswer(conventions_updated=said):
            yield from (_note(each, Folder.CONVENTIONS, asking) for each in said)
        case DesignAnswer(design_updates=said):
            yield from (_note(each, Folder.DESIGN, asking) for each in said)
        case InternaliserAnswer(knowledge_items=items):
            yield from (_item(each, asking) for each in items)


def _note(said: NoteSays, own: Folder, asking: Asking) -> NoteChange | str:
    """Into its own folder, unless it names another: that is refused, never put right."""
    inside, _, name = _in_place(said.name).rpartition("/") if _PATH.fullmatch(said.name) else ("", "", said.name)
    places = {_in_place(said.folder), inside} - {""} or {str(own)}
    named = places.pop()
    if places or named not in set(Folder):
        where = said.folder or said.name
        return one_line(f"note {clean(said.name)}: {clean(where)} is no folder of notes", 300)
    return NoteChange(
        folder=Folder(named),
        slug=slug_of(name),
        title=one_line(clean(said.title), LINE),
        rules=tuple(one_line(clean(rule), 300) for rule in said.rules if rule.strip()),
        good=clean(said.good),
        bad=clean(said.bad),
        rationale=clean(said.rationale),
        what=one_line(clean(said.changed), 200),
        confidence=said.confidence,
        needs_user_review=said.needs_user_review,
        by=asking.by,
        task=asking.task,
    )


def _in_place(path: str) -> str:
    return path.strip().strip("/").removeprefix(f"{PLACE}/").removeprefix("knowledge/")


def _item(said: KnowledgeItem, asking: Asking) -> NoteChange | str:
    if said.category is None:
        return one_line(f"an item that is neither lesson nor domain: {clean(said.content)}", 300)
    folder = Folder.LESSONS if said.category is Category.LESSON else Folder.DOMAIN
    content = one_line(clean(said.content), 300)
    title = one_line(clean(said.title), LINE) or one_line(content, LINE)
    return NoteChange(
        folder=folder,
        slug=slug_of(title),
        title=title,
        rules=(content,),
        confidence=said.confidence,
        needs_user_review=said.needs_user_review,
        by=asking.by,
        task=asking.task,
    )


def slug_of(text: str) -> str:
    """A name of a file out of words; of words in other letters one of its own."""
    letters = unicodedata.normalize("NFKD", text.casefold().removesuffix(".md")).encode("ascii", "ignore").decode()
    plain = re.sub(r"[^a-z0-9]+", "-", letters).strip("-")
    return plain[:50].rstrip("-") or f"note-{fingerprint(text)[:8]}"
