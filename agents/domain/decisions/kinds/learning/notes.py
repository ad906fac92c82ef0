"""Whether people stand by what was learnt: a supervisor's guess, or notes that have proved themselves."""

from enum import StrEnum

from agents.domain import events as e
from agents.domain.decisions.authority import APPROVERS, Kind, Rule
from agents.domain.decisions.kind import Chosen, DecisionKind, Facts, Moment
from agents.domain.decisions.subject import OfNotes
from agents.domain.errors import PressRefused
from agents.domain.knowledge.editing import read_edit
from agents.domain.knowledge.note import NoteChange, faults
from agents.domain.knowledge.writing import tidy_change
from agents.domain.task.task import Task


class NotesOption(StrEnum):
    CONFIRM = "confirm"
    EDIT = "edit"
    DISCARD = "discard"


def apply_notes(task: Task, subject: OfNotes, chosen: Chosen, moment: Moment) -> Facts:
    """What is confirmed is what was shown, or what the person wrote in its place; nothing else of it is a person's."""
    on, by, at = chosen.decision.project, chosen.person, moment.at
    if chosen.option.value == NotesOption.DISCARD:
        return [e.NotesDiscarded(task=task.id, project=on, at=at, by=by, notes=subject.notes)]
    kept = _edited(subject, chosen.words) if chosen.option.value == NotesOption.EDIT else subject.notes
    names = {change.name for change in kept}
    gone = tuple(each for each in subject.notes if each.name not in names)
    confirmed = e.NotesConfirmed(task=task.id, project=on, at=at, decision=chosen.decision.id, by=by, notes=kept)
    return [confirmed, *([e.NotesDiscarded(task=task.id, project=on, at=at, by=by, notes=gone)] if gone else [])]


def _edited(subject: OfNotes, words: str) -> tuple[NoteChange, ...]:
    changes = tuple(tidy_change(change) for change in read_edit(subject.notes, words))
    for wrong in (words for change in changes for words in faults(change)):
        raise PressRefused(f"That cannot be written: {wrong}", next_step="Write one rule a line, and send it again.")
    if not changes:
        raise PressRefused("No note is left", next_step="Press Discard note, or write its rules and send it again.")
    return changes


NOTES = DecisionKind(
    name=Kind.NOTES,
    subject=OfNotes,
    rule=Rule(who=APPROVERS),
    apply=apply_notes,
    options=NotesOption,
    approves=frozenset({NotesOption.CONFIRM, NotesOption.EDIT}),
    needs_words=frozenset({NotesOption.EDIT}),
    waits=False,
)
