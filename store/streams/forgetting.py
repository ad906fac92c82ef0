"""Removes what a person said from everything that can be changed; the facts, which cannot, hold only its hash."""

import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import reduce

from sqlalchemy import ColumnElement, Connection, Table, or_, select, true, update

from agents.domain.decisions import decision as ledger
from agents.domain.errors import OverlordError
from agents.domain.events import WordsRemoved
from agents.domain.ids import StreamId, TaskId, is_project, project_id, stream_id
from agents.domain.task.task import Task
from store import tables
from store.chat.deliveries import DeliveryState
from store.chat.people import Person
from store.codec import REMOVED, SAID, Cause, dump, has_prose, join_prose, stream_kind
from store.streams import projections, proposals, skills
from store.streams.log import forget_decoded
from store.transaction import Transaction

_E, _W, _M, _D, _P = tables.events, tables.words, tables.messages, tables.deliveries, tables.posts
_S, _L, _V = tables.snapshots, tables.listings, tables.evaluations
RUN = 6  # words in a row that make a quotation
SHORTEST = 3  # a whole text of so few words is found inside others, where its author said it


@dataclass(frozen=True, slots=True, kw_only=True)
class Forgotten:
    texts: int  # that the person had said
    tasks: tuple[TaskId, ...]  # in which they said something
    rows: int  # that held it or quoted it
    facts_with_words: int  # of an earlier version, which hold the words themselves and cannot be changed


class StillUnderWay(OverlordError):
    def __init__(self, tasks: Iterable[str]) -> None:
        super().__init__(
            f"Work goes on with what they said, in {', '.join(tasks)}",
            next_step="Nothing was removed. Let these tasks end, or cancel them, and try again.",
        )


class _Quotes:
    """Recognizes texts that are, or quote, one of these."""

    def __init__(self, said: Iterable[str], shortest: int = 1) -> None:
        texts = [words for text in said if len(words := _split(text)) >= shortest]
        self._whole = set(texts)
        self._parts = {part for text in texts if len(text) >= SHORTEST for part in _runs(text, min(RUN, len(text)))}
        self._lengths = {len(part) for part in self._parts}

    def remove(self, text: str) -> str:
        words = _split(text)
        quoted = any(part in self._parts for length in self._lengths for part in _runs(words, length))
        return REMOVED if words and (quoted or words in self._whole) else text

    def remove_from(self, text: str) -> str:
        """From each text in JSON; any other text goes whole."""
        try:
            value = json.loads(text) if text[:1] in ("{", "[") else None
        except ValueError:
            value = None
        if value is None:
            return self.remove(text)
        changed = _change_strings(self.remove, value)
        return text if changed == value else json.dumps(changed)


def _split(text: str) -> tuple[str, ...]:
    return tuple(re.findall(r"\w+", text.casefold()))


def _runs(words: tuple[str, ...], length: int) -> Iterator[tuple[str, ...]]:
    return (words[start : start + length] for start in range(len(words) - length + 1))


def _change_strings(change: Callable[[str], str], value: object) -> object:
    """JSON with each of its texts changed."""
    match value:
        case str():
            return change(value)
        case list():
            return [_change_strings(change, each) for each in value]
        case dict():
            return {name: _change_strings(change, each) for name, each in value.items()}
        case _:
            return value


def forget(tx: Transaction, person: Person, cause: Cause, at: datetime) -> Forgotten:
    """In one transaction. Raises StillUnderWay where a task that has not ended needs the words."""
    found = _said_in_facts(tx.db, person)
    mine = _M.c.by.in_(person.accounts)
    heard = tx.db.execute(select(_M.c.text).where(mine, _M.c.text != REMOVED)).scalars().all()
    said = {text for texts, _ in found.values() for text in texts} | set(heard)
    tasks = tuple(sorted(TaskId(stream) for stream in found if not is_project(stream)))
    _refuse_under_way(tx, tasks)
    for task in tasks:
        tx.log.record([WordsRemoved(task=task, at=at, person=person.id, texts=len(found[task][0]))], cause)
    projects = {project_id(project) for task in tasks if (project := tx.log.task(task).project)}
    quotes = _Quotes(said)
    rows = 0
    for stream in {*found, *projects}:
        rows += _remove_words(tx.db, stream, quotes)
        _rebuild(tx, stream)
    forget_decoded()
    tx.log.forget()
    rows += _remove_rows(tx, person, tasks, quotes)
    for table in (_P, _M, tables.calls):  # elsewhere they count as quoted only where they are quoted at length
        rows += sum(_scrub(tx.db, table, column, true(), _Quotes(said, RUN)) for column in _TEXTS[table.name])
    return Forgotten(texts=len(said), tasks=tasks, rows=rows, facts_with_words=sum(old for _, old in found.values()))


def _said_in_facts(db: Connection, person: Person) -> dict[StreamId, tuple[set[str], int]]:
    """By stream: what the person said, and how many facts hold it themselves."""
    named = or_(*(_E.c.body.contains(id, autoescape=True) for id in person.known_as))
    found = dict[StreamId, tuple[set[str], int]]()
    rows = db.execute(select(_E.c.stream, _E.c.body, _W.c.text).outerjoin(_W, tables.WORDS_OF_FACT).where(named)).all()
    for stream, body, prose in rows:
        texts = set(_by(person.known_as, json.loads(join_prose(body, prose)))) - {"", REMOVED}
        if texts:
            known, old = found.get(stream_id(stream), (set(), 0))
            found[stream_id(stream)] = (known | texts, old + (not has_prose(body)))
    return found


def _by(person: Collection[str], value: object) -> Iterator[str]:
    """What stands in a fact as this person's words."""
    if isinstance(value, list):
        for each in value:
            yield from _by(person, each)
    if not isinstance(value, dict):
        return
    by = value.get("by")
    theirs = any(one in person for one in (by if isinstance(by, list) else [by]))
    for name, each in value.items():
        if theirs and name in SAID:
            yield from (text for text in (each if isinstance(each, list) else [each]) if isinstance(text, str))
        yield from _by(person, each)


def _refuse_under_way(tx: Transaction, tasks: Iterable[TaskId]) -> None:
    if going_on := [task for task in tasks if not tx.log.task(task).has_ended]:
        raise StillUnderWay(going_on)


def _remove_words(db: Connection, stream: StreamId, quotes: _Quotes) -> int:
    count = 0
    for version, text in db.execute(select(_W.c.version, _W.c.text).where(_W.c.stream == stream)).all():
        _salt, *prose = json.loads(text)
        left = [quotes.remove(each) for each in prose]
        if left != prose:
            row = update(_W).where(_W.c.stream == stream, _W.c.version == version)
            db.execute(row.values(text=json.dumps(["", *left]), removed=True))
            count += 1
    return count


def _rebuild(tx: Transaction, stream: StreamId) -> None:
    """What is stored beside the facts of a stream, made from them again."""
    db, kind = tx.db, stream_kind(stream)
    facts = [recorded.event for recorded in tx.log.facts(stream)]
    if not facts:
        return
    state = reduce(kind.evolve, facts[1:], kind.begin(facts[0]))
    saved = update(_S).where(_S.c.stream == stream)
    db.execute(saved.values(body=dump(state), saved=len(facts)))
    if isinstance(state, Task):
        db.execute(update(_L).where(_L.c.task == stream).values(words=projections.listing_of(state)["words"]))
        skills.rewrite(db, state)
    for decision in ledger.replay(facts).values():
        row = update(tables.decisions).where(tables.decisions.c.id == decision.id)
        db.execute(row.values(body=dump(decision)))
    for judged in projections.replay_evaluations(facts):
        same = (_V.c[name] == judged[name] for name in ("task", "subtask", "attempt", "judgement"))
        db.execute(update(_V).where(*same).values(feedback=judged["feedback"]))
    proposals.rewrite(db, facts)


# Where else words of people, and texts that quote them, are stored.
_TEXTS = {
    "posts": ("body",),
    "messages": ("text", "card"),
    "deliveries": ("body", "outcome"),
    "calls": ("answer", "problem"),
    "turns": ("body",),
    "jobs": ("problem",),
    "proposals": ("reason",),
    "pulls": ("title", "body"),
    "pull_comments": ("text",),
}


def rows_of(task: TaskId) -> dict[Table, ColumnElement[bool]]:
    """Which rows belong to a task, beside its facts and what is made from them."""
    threads = select(tables.threads.c.thread).where(tables.threads.c.task == task).scalar_subquery()
    return {
        _P: _P.c.thread.in_(threads),
        _M: _M.c.thread.in_(threads),
        _D: _D.c.thread.in_(threads),
        tables.calls: tables.calls.c.task == task,
        tables.turns: tables.turns.c.run.startswith(f"{task}.", autoescape=True),
        tables.jobs: tables.jobs.c.stream == task,
    }


def _remove_rows(tx: Transaction, person: Person, tasks: Iterable[TaskId], quotes: _Quotes) -> int:
    db, theirs = tx.db, (_D.c.account.in_(person.accounts), _D.c.state != DeliveryState.RECEIVED, _D.c.body != "")
    rows = db.execute(
        update(_M).where(_M.c.by.in_(person.accounts), _M.c.text != REMOVED).values(text=REMOVED)
    ).rowcount
    rows += db.execute(update(_D).where(*theirs).values(body="")).rowcount
    for task in tasks:
        pull = tables.pulls.c.key == task
        about = tables.pull_comments.c
        numbers = select(tables.pulls.c.number).where(pull, tables.pulls.c.project == about.project).scalar_subquery()
        places = {**rows_of(task), tables.pulls: pull, tables.pull_comments: about.number.in_(numbers)}
        places[tables.proposals] = tables.proposals.c.task == task
        for table, which in places.items():
            rows += sum(_scrub(db, table, column, which, quotes) for column in _TEXTS[table.name])
    return rows


def _scrub(db: Connection, table: Table, name: str, which: ColumnElement[bool], quotes: _Quotes) -> int:
    keys, column = list(table.primary_key.columns), table.c[name]
    count = 0
    for text, *id in db.execute(select(column, *keys).where(column != "", which)).all():
        if (left := quotes.remove_from(text)) != text:
            same = (key == value for key, value in zip(keys, id, strict=True))
            db.execute(update(table).where(*same).values({name: left}))
            count += 1
    return count
