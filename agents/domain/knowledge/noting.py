"""What follows for notes: who is asked, what a merge brought in, and what people may stand by."""

from collections.abc import Iterable, Sequence

from agents.domain import events as e
from agents.domain.decisions.authority import Kind
from agents.domain.decisions.kind import Facts, Follows, Moment, Question, Withdrawal, withdraw
from agents.domain.decisions.subject import OfNotes, OfNotesPull
from agents.domain.ids import project_id
from agents.domain.knowledge.document import Note, Status
from agents.domain.knowledge.facts import CLEAN, Learnt, NotesPull, PendingNote
from agents.domain.knowledge.note import OWNER, PART, Carried, NoteChange
from agents.domain.project.project import Project
from agents.domain.task.task import Task
from agents.domain.text.sanitize import cut
from agents.domain.work.work import SubtaskState

BATCH = 8  # notes that one card asks about


def learnt_of(moment: Moment) -> Learnt:
    project = moment.project()
    return project.learnt if project else Learnt()


def _open_about(project: Project | None) -> set[str]:
    """Ids of changes that people are asked about already."""
    subjects = [decision.subject for decision in project.open] if project else []
    return {change.id for about in subjects if isinstance(about, OfNotes) for change in about.notes}


def ask_about(task: Task, moment: Moment) -> Follows:
    """A card for each change that is inert until a person confirms it."""
    asked, on = _open_about(moment.project()), project_id(task.project or "")
    waiting = [each.change for each in learnt_of(moment).pending if each.waits and each.change.id not in asked]
    return [
        Question(kind=Kind.NOTES, text=change.title, subject=OfNotes(notes=(change,)), project=on, cause=change.id)
        for change in waiting
        if change.task == task.id
    ]


def withdraw_replaced(task: Task, moment: Moment) -> Facts:
    """A question about a guess that another one took the place of."""
    project = moment.project()
    known = {each.change.id for each in learnt_of(moment).pending}
    stale = [
        decision
        for decision in (project.open if project else ())
        if isinstance(decision.subject, OfNotes)
        and not decision.subject.establishes
        and decision.task == task.id
        and not known & {change.id for change in decision.subject.notes}
    ]
    return withdraw(stale, Withdrawal.SAID_SINCE, moment)


def after_merge(task: Task, moment: Moment) -> Facts:
    """What came in with the work, and which notes its minions used without trouble."""
    on, carried = project_id(task.project or ""), task.delivery.notes
    facts: Facts = []
    if carried:
        ids, names = tuple(each.change.id for each in carried), tuple(each.change.name for each in carried)
        facts.append(e.NotesMerged(task=task.id, project=on, at=moment.at, notes=ids, names=names))
    if used := clean_uses(task):
        facts.append(e.NotesUsed(task=task.id, project=on, at=moment.at, notes=used))
    return facts


def clean_uses(task: Task) -> tuple[str, ...]:
    """Notes that minions were shown whose work was taken at the first try, and that no other's trouble is near."""
    done = [work for work in task.work.subtasks if work.notes]
    clean = {name for work in done if _is_clean(work.state, work.tries) for name in work.notes}
    troubled = {name for work in done if not _is_clean(work.state, work.tries) for name in work.notes}
    return tuple(sorted(clean - troubled))


def _is_clean(state: SubtaskState, tries: int) -> bool:
    return state is SubtaskState.DONE and tries <= 1


def to_establish(notes: Iterable[Note], moment: Moment) -> list[Note]:
    """Guesses that have proved themselves, and that nobody is asked about."""
    project = moment.project()
    subjects = [decision.subject for decision in project.open] if project else []
    asked = {change.name for about in subjects if isinstance(about, OfNotes) for change in about.notes}
    uses = learnt_of(moment).uses
    proved = [note for note in notes if note.status is Status.PROVISIONAL and uses.get(note.name, 0) >= CLEAN]
    return [note for note in proved if note.name not in asked][:BATCH]


def ask_to_establish(task: Task, notes: Sequence[Note], moment: Moment) -> Follows:
    """One card a batch."""
    if not notes:
        return []
    changes = tuple(change_of(note, task) for note in notes)
    on, about = project_id(task.project or ""), OfNotes(notes=changes, establishes=True)
    asked = e.NotesProved(task=task.id, project=on, at=moment.at, notes=tuple(change.name for change in changes))
    return [
        asked,
        Question(kind=Kind.NOTES, subject=about, project=on, cause=":".join(change.id for change in changes)),
    ]


def change_of(note: Note, task: Task) -> NoteChange:
    """The note as it is, to be written as established."""
    return NoteChange(
        folder=note.folder,
        slug=note.slug,
        title=note.title,
        rules=note.rules,
        good=cut(note.good, PART),
        bad=cut(note.bad, PART),
        rationale=cut(note.rationale, PART),
        by=OWNER[note.folder],
        task=task.id,
    )


def waits_for_pull(task: Task, learnt: Learnt) -> tuple[PendingNote, ...]:
    """Of a task that is over: what may be written, and is in no pull request yet."""
    if not task.has_ended:
        return ()
    shown = {id for pull in learnt.pulls for id in pull.notes}
    return tuple(each for each in learnt.of_task(task.id) if each.change.id not in shown)


def note_pull(task: Task, pull: NotesPull, url: str, carried: tuple[Carried, ...], moment: Moment) -> Follows:
    """A pull request of notes alone is there, and a person is asked to merge it."""
    if learnt_of(moment).pull(pull.number):
        return []
    on = project_id(task.project or "")
    opened = e.NotesOpened(
        task=task.id,
        project=on,
        at=moment.at,
        number=pull.number,
        url=url,
        head=pull.head,
        into=pull.into,
        notes=pull.notes,
    )
    about = OfNotesPull(number=pull.number, head=pull.head, carried=carried)
    return [opened, Question(kind=Kind.NOTES_MERGE, text=url, subject=about, project=on, cause=pull.head)]
