"""A task in a store, without a bot: for tests of one part alone."""

from datetime import UTC, datetime

from agents.domain.decisions.kind import Moment
from agents.domain.ids import Account, Thread
from agents.domain.task import decide
from agents.domain.task.request import Request
from agents.domain.task.task import Task
from store.books import Books
from store.codec import Cause

NOW = datetime(2026, 3, 2, 9, 30, tzinfo=UTC)
ANA = Account("console:ana")
CHANNEL = "console:general"
THREAD = Thread(f"{CHANNEL}:1")


def a_task(books: Books) -> Task:
    """One that asks which project it is for."""
    person, moment = books.people.of(ANA), Moment(at=NOW, cause="test")
    books.threads.start(THREAD, CHANNEL, ANA, NOW)
    request = Request(text="add login", by=person.id, thread=THREAD, channel=CHANNEL, at=NOW)
    cause = Cause(actor=ANA, delivery="test")
    task = books.log.open(decide.open_task(books.log.next_id(), request, moment), cause)
    books.threads.bind(THREAD, task.id)
    return books.log.append(task.id, decide.choose_project(task, ["web", "api"], moment), cause)
