"""The merge of a pull request that holds notes alone. Always a person's."""

from enum import StrEnum

from agents.domain import events as e
from agents.domain.decisions.authority import APPROVERS, Kind, Rule
from agents.domain.decisions.kind import Chosen, DecisionKind, Facts, Moment
from agents.domain.decisions.subject import OfNotesPull
from agents.domain.task.task import Task


class NotesMergeOption(StrEnum):
    MERGE = "merge"
    LEAVE = "leave"


def apply_notes_merge(task: Task, subject: OfNotesPull, chosen: Chosen, moment: Moment) -> Facts:
    on, by, number = chosen.decision.project, chosen.person, subject.number
    if chosen.option.value == NotesMergeOption.MERGE:
        merged = e.NotesMergeApproved(task=task.id, project=on, at=moment.at, number=number, head=subject.head, by=by)
        return [merged]
    ids = tuple(each.change.id for each in subject.carried)
    return [e.NotesUnmerged(task=task.id, project=on, at=moment.at, number=number, notes=ids, by=by)]


NOTES_MERGE = DecisionKind(
    name=Kind.NOTES_MERGE,
    subject=OfNotesPull,
    rule=Rule(who=APPROVERS),
    apply=apply_notes_merge,
    options=NotesMergeOption,
    approves=frozenset({NotesMergeOption.MERGE}),
    waits=False,
    leaves_machine=True,
)
