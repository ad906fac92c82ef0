"""A task in a store, without a bot: for tests of one part alone."""

from datetime import UTC, datetime

from agents.domain.decisions.kind import Moment
from agents.domain.ids import Account, Thread
from agents.domain.task import decide
from agents.domain.task.facts import Request
from agents.domain.task.task import Task
from store.codec import Cause
from store.transaction import Transaction

NOW = datetime(2026, 3, 2, 9, 30, tzinfo=UTC)
ANA = Account("console:ana")
CHANNEL = "console:general"
THREAD = Thread(f"{CHANNEL}:1")


def a_task(tx: Transaction) -> Task:
    """One that asks which project it is for."""
    person, moment = tx.people.of(ANA), Moment(at=NOW, cause="test")
    tx.threads.start(THREAD, CHANNEL, ANA, NOW)
    request = Request(text="add login", by=person.id, thread=THREAD, channel=CHANNEL, at=NOW)
    cause = Cause(actor=ANA, delivery="test")
    task = tx.log.open(decide.open_task(tx.log.next_id(), request, moment), cause)
    tx.threads.bind(THREAD, task.id)
    return tx.log.append(task.id, decide.choose_project(task, ["web", "api"], moment), cause)
