"""The launcher reads the log and asks for the jobs that facts lead to, as `FLOW_AFTER` says.

It moves its cursor in the transaction that writes the jobs, so a fact is handled once and never skipped.
"""

from collections.abc import Iterator

from agents.domain.events import JobRetried
from agents.domain.ids import is_project
from agents.domain.project.project import Project
from agents.domain.task.task import Task
from agents.flows import Lane, Repeats, rows_after
from store.books import Books
from store.codec import Recorded

BATCH = 400


def launch(books: Books) -> int:
    """Ask for the jobs that each unread fact leads to. Returns how many facts were read."""
    unread = books.log.unread("launcher", BATCH)
    if asked := [job for recorded in unread for job in _jobs_after(recorded, books)]:
        books.jobs.ask(*asked)
    if unread:
        books.log.mark_read("launcher", unread[-1].seq)
    return len(unread)


def _jobs_after(recorded: Recorded, books: Books) -> Iterator[tuple[Recorded, str, str]]:
    """The fact, the flow and the lane of each job; the store skips those that were asked for before."""
    event = recorded.event
    rows = [row for row in rows_after(type(event)) if row.run or row.repeats]
    if not rows:
        return
    if is_project(event.stream) and (project := books.log.project(event.stream)):
        yield from _jobs_of(recorded, project)
        return
    task = books.log.task(event.task)
    yield from _jobs_of(recorded, task)
    for row in rows:
        if row.repeats is Repeats.PARKED and isinstance(event, JobRetried):
            books.jobs.again(event.job)
        if row.repeats is Repeats.HELD_BACK and not task.at_rest:
            for earlier in books.log.facts(task.id):
                yield from _jobs_of(earlier, task)


def _jobs_of(recorded: Recorded, about: Task | Project) -> Iterator[tuple[Recorded, str, str]]:
    lane = about.name if isinstance(about, Project) else about.project or ""
    rests = isinstance(about, Task) and about.at_rest
    for row in rows_after(type(recorded.event)):
        if row.run and row.when(about) and (row.at_rest or not rests):
            yield recorded, row.run.__name__, lane if row.lane is Lane.LONG else ""
