"""Helpers that the tests of log share with others."""

from datetime import timedelta

from agents.domain import events as e
from agents.domain.events import Event
from agents.domain.task.task import Task
from store.database import Database
from tests.store.room import MORNING

REOPEN = {  # what somebody with the database's password could do to change facts
    "sqlite": ("DROP TRIGGER facts_never_change", "DROP TRIGGER facts_never_go"),
    "postgresql": ("DROP TRIGGER facts_never_change ON events",),
}


def remark(task: Task, words: str, minute: int = 1) -> Event:
    return e.RemarkMade(task=task.id, at=MORNING + timedelta(minutes=minute), by=task.request.by, text=words)


def tampered(database: Database, *statements: str) -> None:
    """As someone who went round the program, with the triggers out of the way."""
    with database._writer.begin() as db:
        for statement in (*REOPEN[db.dialect.name], *statements):
            for one in statement.split(";"):
                db.exec_driver_sql(one)
