"""What operators and admins asked to be changed in the settings: who, when, in which words, and what became of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from sqlalchemy import Row, select, update

from agents.domain.ids import Account, Thread
from store.act_table import acts as _A
from store.codec import moment, seconds
from store.sql import TransactionPart, insert_each_once


class ActState(StrEnum):
    WANTED = "wanted"  # nothing was changed yet
    WRITTEN = "written"  # the file was changed; a program that runs has not read it yet
    DONE = "done"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True, kw_only=True)
class Act:
    key: str
    at: datetime
    actor: Account
    words: str  # the command
    thread: Thread  # where it was said; empty: nowhere that can be answered in
    state: ActState = ActState.WANTED
    outcome: str = ""


class Acts(TransactionPart):
    def record(self, act: Act) -> bool:
        """False: it was recorded before."""
        row = {
            "key": act.key,
            "actor": act.actor,
            "thread": act.thread,
            "state": act.state,
            "words": act.words,
            "outcome": act.outcome,
            "at": seconds(act.at),
        }
        self._touched.add("acts")
        return insert_each_once(self._db, _A, [row]) == 1

    def list_waiting(self) -> Sequence[Act]:
        """Oldest first."""
        waits = _A.c.state.in_((ActState.WANTED, ActState.WRITTEN))
        return [_act(row) for row in self._db.execute(select(_A).where(waits).order_by(_A.c.at, _A.c.key))]

    def settle(self, key: str, state: ActState, outcome: str) -> None:
        self._db.execute(update(_A).where(_A.c.key == key).values(state=state, outcome=outcome))
        self._touched.add("acts")

    def find(self, key: str) -> Act | None:
        row = self._db.execute(select(_A).where(_A.c.key == key)).one_or_none()
        return _act(row) if row else None

    def starting_with(self, beginning: str) -> Sequence[Act]:
        """Whose words begin like this, oldest first."""
        wanted = (_A.c.words.startswith(beginning, autoescape=True), _A.c.state == ActState.DONE)
        return [_act(row) for row in self._db.execute(select(_A).where(*wanted).order_by(_A.c.at, _A.c.key))]

    def latest(self, most: int) -> Sequence[Act]:
        """Newest first."""
        return [_act(row) for row in self._db.execute(select(_A).order_by(_A.c.at.desc(), _A.c.key).limit(most))]


def _act(row: Row[tuple[object, ...]]) -> Act:
    return Act(
        key=row.key,
        at=moment(row.at),
        actor=Account(row.actor),
        words=row.words,
        thread=Thread(row.thread),
        state=ActState(row.state),
        outcome=row.outcome,
    )
