"""Facts about notes on a project's stream, from a supervisor's guess to a person's merge; and what they leave."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from agents.domain.fact import Event, Fold, OnProject
from agents.domain.ids import DecisionId, PersonId, TaskId
from agents.domain.knowledge.owners import Confirmation, NoteChange

MOST_PENDING = 40  # changes that nobody merged yet; the oldest go first
MOST_COUNTED = 200  # notes whose uses are counted
CLEAN = 5  # tasks that used a note without trouble, before people are asked to stand by it


@dataclass(frozen=True, slots=True, kw_only=True)
class NotesConfirmed(OnProject):
    """A person stands by these, as they are given here. They may be written as established."""

    decision: DecisionId
    by: PersonId
    notes: tuple[NoteChange, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class NotesDiscarded(OnProject):
    """Nothing comes of these changes."""

    by: PersonId
    notes: tuple[NoteChange, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class NotesUsed(OnProject):
    """Minions of a task that is merged were shown these, and what they handed in was taken at the first try."""

    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class NotesProved(OnProject):
    """People are asked to stand by these; they are asked again after as many tasks more."""

    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class NotesOpened(OnProject):
    """A pull request of notes alone, for a task that is over."""

    number: int
    url: str
    head: str
    into: str
    notes: tuple[str, ...]  # ids of changes


@dataclass(frozen=True, slots=True, kw_only=True)
class NotesMergeApproved(OnProject):
    number: int
    head: str
    by: PersonId


@dataclass(frozen=True, slots=True, kw_only=True)
class NotesMerged(OnProject):
    """They are in the repository: with the work of their task, or by themselves."""

    notes: tuple[str, ...]  # ids of changes
    names: tuple[str, ...]
    number: int = 0  # of a pull request of their own
    commit: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class NotesUnmerged(OnProject):
    """Their pull request is given up: it does not fit, or a person left it. `by`: who."""

    number: int
    notes: tuple[str, ...]
    why: str = ""
    by: PersonId | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PendingNote:
    """A change that is not in the repository yet."""

    change: NoteChange
    at: datetime
    waits: bool = False  # inert until a person confirms it
    confirmed: Confirmation | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NotesPull:
    """A pull request of notes alone that waits for a person."""

    task: TaskId
    number: int
    head: str
    into: str
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Learnt:
    pending: tuple[PendingNote, ...] = ()
    pulls: tuple[NotesPull, ...] = ()
    uses: dict[str, int] = field(default_factory=dict)  # clean tasks by note, since people were last asked about it

    def of_task(self, task: TaskId) -> tuple[PendingNote, ...]:
        """Those that may be written after it."""
        return tuple(each for each in self.pending if each.change.task == task and not each.waits)

    def pull(self, number: int) -> NotesPull | None:
        return next((pull for pull in self.pulls if pull.number == number), None)


fold_notes = Fold[Learnt]()


def _without(state: Learnt, ids: tuple[str, ...]) -> tuple[PendingNote, ...]:
    return tuple(each for each in state.pending if each.change.id not in ids)


def remember(state: Learnt, changes: Sequence[NoteChange], at: datetime) -> Learnt:
    """What a supervisor found. A later guess about a note replaces the earlier one that nobody confirmed."""
    if not changes:
        return state
    named = {change.name for change in changes}
    kept = [each for each in state.pending if each.change.name not in named or each.confirmed]
    fresh = [PendingNote(change=each, at=at, waits=each.needs_user_review or each.deprecates) for each in changes]
    return replace(state, pending=(*kept, *fresh)[-MOST_PENDING:])


@fold_notes.on(NotesConfirmed)
def _(state: Learnt, fact: NotesConfirmed) -> Learnt:
    sure = Confirmation(decision=fact.decision, by=fact.by)
    named = {change.name for change in fact.notes}
    kept = [each for each in state.pending if each.change.name not in named]
    fresh = [PendingNote(change=change, at=fact.at, confirmed=sure) for change in fact.notes]
    return replace(state, pending=(*kept, *fresh)[-MOST_PENDING:])


@fold_notes.on(NotesDiscarded)
def _(state: Learnt, fact: NotesDiscarded) -> Learnt:
    return replace(state, pending=_without(state, tuple(change.id for change in fact.notes)))


@fold_notes.on(NotesUsed)
def _(state: Learnt, fact: NotesUsed) -> Learnt:
    uses = {**state.uses, **{name: state.uses.get(name, 0) + 1 for name in fact.notes}}
    return replace(state, uses=dict(list(uses.items())[-MOST_COUNTED:]))


@fold_notes.on(NotesProved)
def _(state: Learnt, fact: NotesProved) -> Learnt:
    return replace(state, uses={name: count for name, count in state.uses.items() if name not in fact.notes})


@fold_notes.on(NotesOpened)
def _(state: Learnt, fact: NotesOpened) -> Learnt:
    opened = NotesPull(task=fact.task, number=fact.number, head=fact.head, into=fact.into, notes=fact.notes)
    return replace(state, pulls=(*(each for each in state.pulls if each.number != fact.number), opened))


@fold_notes.on(NotesMerged)
def _(state: Learnt, fact: NotesMerged) -> Learnt:
    return _after_end(state, fact)


@fold_notes.on(NotesUnmerged)
def _(state: Learnt, fact: NotesUnmerged) -> Learnt:
    return _after_end(state, fact)


def _after_end(state: Learnt, fact: NotesMerged | NotesUnmerged) -> Learnt:
    pulls = tuple(each for each in state.pulls if each.number != fact.number)
    return replace(state, pulls=pulls, pending=_without(state, fact.notes))


OF_NOTES: tuple[type[Event], ...] = (
    *(
        NotesConfirmed,
        NotesDiscarded,
        NotesUsed,
        NotesProved,
        NotesOpened,
        NotesMergeApproved,
        NotesMerged,
        NotesUnmerged,
    ),
)
