"""Helpers that the tests of growth share with others."""

from datetime import timedelta

from agents.domain.decisions.kind import Moment
from store.transaction import Transaction
from tests.builders.decisions import question
from tests.store.room import APPROVE_OR_NOT, CHANNEL, MORNING, OPERATOR, ask, open_task


def fill(tasks: int, asked: int, tx: Transaction) -> None:
    for number in range(1, tasks + 1):
        task = open_task(f"open-{number}", OPERATOR, CHANNEL, MORNING, tx)
        tx.messages.keep(task.request.thread, "first", OPERATOR, task.request.text, MORNING)
        if number > tasks - asked:
            wanted = question("question", APPROVE_OR_NOT, f"may we {number}?")
            ask(task.id, wanted, Moment(at=MORNING + timedelta(seconds=number), cause=f"asked-{number}"), tx)
