"""Pull requests of the local forge, with their comments. The same key is the same row."""

from datetime import datetime
from typing import Any

from sqlalchemy import Row, func, select, update

from agents.ports import Pull, PullRecord
from store import tables
from store.codec import from_row, seconds
from store.sql import TransactionPart, insert_once

_P, _C = tables.pulls, tables.pull_comments
TOPIC = "pulls"


class Pulls(TransactionPart):
    def open(self, pull: Pull, base: str, at: datetime) -> PullRecord:
        """Numbers have no gaps: writers stand in line, so nobody takes the same one."""
        words = {"head": pull.head, "title": pull.title, "body": pull.body}
        last = select(func.max(_P.c.number)).where(_P.c.project == pull.project)
        number = int(self._db.execute(last).scalar() or 0) + 1
        row = {"key": pull.key, "project": pull.project, "number": number, "branch": pull.branch, "base": base}
        if not insert_once(self._db, _P, {**row, **words, "state": "open", "at": seconds(at)}):
            still = (_P.c.key == pull.key, _P.c.state == "open")
            self._db.execute(update(_P).where(*still).values(**words))
        self._touched.add(TOPIC)
        return _record(self._db.execute(select(_P).where(_P.c.key == pull.key)).one())

    def find(self, project: str, number: int) -> PullRecord | None:
        found = self._db.execute(select(_P).where(_P.c.project == project, _P.c.number == number)).one_or_none()
        return _record(found) if found else None

    def merging(self, project: str, number: int, was: str, commit: str) -> None:
        self._set(project, number, was=was, merge=commit)

    def mark_merged(self, project: str, number: int, commit: str) -> None:
        self._set(project, number, state="merged", merge=commit)

    def comment(self, key: str, project: str, number: int, text: str, at: datetime) -> None:
        row = {"project": project, "number": number, "key": key, "text": text, "at": seconds(at)}
        if insert_once(self._db, _C, row):
            self._touched.add(TOPIC)

    def _set(self, project: str, number: int, **values: str) -> None:
        """What was merged stays as it is."""
        which = (_P.c.project == project, _P.c.number == number, _P.c.state == "open")
        if self._db.execute(update(_P).where(*which).values(**values)).rowcount:
            self._touched.add(TOPIC)


def _record(row: Row[Any]) -> PullRecord:
    return from_row(PullRecord, row, commit=row.merge)
