"""Notes on their way into a repository: asked about, carried by a pull request, merged by a person."""

from collections.abc import Sequence
from dataclasses import dataclass

from agents.domain import events as e
from agents.domain.decisions.kind import Facts, Follows, Moment
from agents.domain.decisions.table import open_questions
from agents.domain.events import Event
from agents.domain.ids import project_id
from agents.domain.knowledge import noting
from agents.domain.knowledge.facts import Learnt, NotesPull, PendingNote
from agents.domain.knowledge.noting import learnt_of
from agents.domain.knowledge.writing import NOTHING, Writing, Written
from agents.domain.task.reports import sign
from agents.domain.task.task import Task
from agents.ports import ForgeFailed, Ports, Pull, Target

BRANCH = "ai/notes"
NOT_MERGED = "It does not fit any more"


@dataclass(frozen=True, slots=True, kw_only=True)
class NotedHead:
    """A commit of notes on top of another; the same commit, where there is nothing to write."""

    commit: str
    written: Written = NOTHING


async def add_notes(task: Task, head: str, ports: Ports) -> NotedHead:
    """On top of finished work, once it is judged: what supervisors learnt from it, as far as it may be written."""
    learnt = await _look_up(task, ports)
    branch = f"{task.work.branch}-notes"
    return await _commit(task, head, branch, learnt.of_task(task.id), ports)


async def _commit(task: Task, start: str, branch: str, pending: Sequence[PendingNote], ports: Ports) -> NotedHead:
    project = task.project or ""
    writings = [Writing(change=each.change, at=each.at, confirmed=each.confirmed) for each in pending]
    written = await ports.knowledge.write(project, start, writings)
    if not written.files:
        return NotedHead(commit=start)
    message = sign(task, ports.texts.notes_text(task, written.carried))
    commit = await ports.checkouts.write(project, branch, start, written.files, message)
    return NotedHead(commit=commit, written=written)


async def _look_up(task: Task, ports: Ports) -> Learnt:
    """What the project has learnt and not merged."""
    found = Learnt()

    def look(now: Task, moment: Moment) -> Facts:
        nonlocal found
        found = learnt_of(moment)
        return []

    await ports.store.note(task.id, look)
    return found


async def follow_notes(event: Event, ports: Ports) -> None:
    """After supervisors, a confirmation, or the end of a task: ask what is to be asked, and hand over what is left."""
    task = await ports.store.task(event.task)
    learnt = await _look_up(task, ports)
    left = noting.waits_for_pull(task, learnt)
    opened = await _open_pull(task, left, ports) if left else None
    shelf = await ports.knowledge.shelf(task.project or "") if isinstance(event, e.Merged) else None

    def decide(now: Task, moment: Moment) -> Sequence[Event]:
        proved = noting.to_establish(shelf.notes, moment) if shelf else []
        asked = (*noting.ask_about(now, moment), *noting.ask_to_establish(now, proved, moment))
        handed = opened.follow(now, moment) if opened else ()
        return open_questions(now, [*noting.withdraw_replaced(now, moment), *asked, *handed], moment)

    await ports.store.record(task.id, decide)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Opened:
    """A pull request of notes alone, as the forge has it now; none, where all of it is there already."""

    pull: NotesPull | None
    url: str
    noted: NotedHead
    ids: tuple[str, ...]

    def follow(self, task: Task, moment: Moment) -> Follows:
        if self.pull is None:
            on = project_id(task.project or "")
            return [e.NotesUnmerged(task=task.id, project=on, at=moment.at, number=0, notes=self.ids)]
        return noting.note_pull(task, self.pull, self.url, self.noted.written.carried, moment)


async def _open_pull(task: Task, pending: Sequence[PendingNote], ports: Ports) -> _Opened:
    """Found again by its key if it is there. It stands on the newest commit of the branch that the work was for."""
    project, ids = task.project or "", tuple(each.change.id for each in pending)
    into = task.work.into or await ports.forge.base(project)
    start = await ports.checkouts.source(project, into)
    branch = f"{BRANCH}-{task.id.lower()}-{ids[0][:6].lower().strip('-_')}"
    noted = await _commit(task, start, branch, pending, ports)
    if noted.commit == start:
        return _Opened(pull=None, url="", noted=noted, ids=ids)
    title, _, body = ports.texts.notes_text(task, noted.written.carried).partition("\n\n")
    pull = Pull(
        key=f"{task.id}:notes:{ids[0]}",
        project=project,
        branch=branch,
        head=noted.commit,
        title=title,
        body=body,
        into=into,
    )
    opened = await ports.forge.open(pull)
    made = NotesPull(task=task.id, number=opened.number, head=noted.commit, into=into, notes=ids)
    return _Opened(pull=made, url=opened.url, noted=noted, ids=ids)


async def merge_notes(event: Event, ports: Ports) -> None:
    """Exactly the head that a person was shown. Merged before a crash is merged."""
    assert isinstance(event, e.NotesMergeApproved)
    task = await ports.store.task(event.task)
    pull = (await _look_up(task, ports)).pull(event.number)
    if pull is None or pull.head != event.head:
        await ports.store.record(task.id, lambda now, moment: [])
        return
    message, problem = sign(task, ports.texts.notes_text(task, ())), NOT_MERGED
    try:
        into = Target(branch=pull.into)
        commit = await ports.forge.merge(task.project or "", pull.number, pull.head, message, into)
    except ForgeFailed as failed:
        commit, problem = None, f"{failed.what}. {failed.next_step}"

    def decide(now: Task, moment: Moment) -> Sequence[Event]:
        known = learnt_of(moment)
        if known.pull(event.number) is None:
            return []
        on = project_id(now.project or "")
        if commit is None:
            gone = e.NotesUnmerged(
                task=now.id, project=on, at=moment.at, number=pull.number, notes=pull.notes, why=problem
            )
            return [gone]
        names = tuple(each.change.name for each in known.pending if each.change.id in pull.notes)
        return [
            e.NotesMerged(
                task=now.id,
                project=on,
                at=moment.at,
                number=pull.number,
                notes=pull.notes,
                names=names,
                commit=commit,
            )
        ]

    await ports.store.record(task.id, decide)
