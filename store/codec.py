"""Facts, tasks, projects and decisions as text and back, and the hash that chains a stream's facts.

Prose in facts lives in rows of its own. A fact holds its hash, so words can be removed and the chain still holds. Prose
is every text with a blank in it, and whatever stands where people's words stand, however short.
"""

import hashlib
import json
import re
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from typing import Any, Generic, TypeVar

from pydantic import TypeAdapter
from sqlalchemy import Row

from agents.domain import events as e
from agents.domain.decisions.decision import Decision
from agents.domain.events import Event
from agents.domain.ids import StreamId, is_project
from agents.domain.project import project
from agents.domain.project.project import Project
from agents.domain.task import fold as task
from agents.domain.task.task import Task
from store.upcasts import upcast_decisions, upcast_event, upcast_plans, upcast_workflow

T = TypeVar("T")
State = TypeVar("State")

EVENT_KINDS: dict[str, type[Event]] = {kind.__name__: kind for kind in e.ALL}
BEGINNING = "0" * 64  # the hash before a stream's first fact
SAID = frozenset({"answer", "because", "feedback", "note", "reason", "request", "text", "why", "words"})
REMOVED = "(removed at the request of its author)"

_ADAPTERS: dict[type[Any], TypeAdapter[Any]] = {}
_STRING = re.compile(r'"(?:[^"\\]|\\.)*":?')  # in JSON without blanks: a name, or a value
_PLACE = re.compile(r'"~(\d+)"')
_END = re.compile(r',"~":"([0-9a-f]{64})"}$')


@dataclass(frozen=True, slots=True, kw_only=True)
class Cause:
    """To whom and to what a fact is attributed."""

    actor: str  # an account, or "overlord"
    delivery: str  # a delivery's key, a job, a timer


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """A fact as it stands in the log."""

    seq: int
    version: int
    event: Event
    cause: Cause
    hash: str


def shape(kind: type[T]) -> TypeAdapter[T]:
    """The adapter of a type, made when it is first needed: to make all at once would delay the start."""
    if kind not in _ADAPTERS:
        _ADAPTERS[kind] = TypeAdapter(kind)
    return _ADAPTERS[kind]


def from_row(kind: type[T], row: Row[Any], **other: object) -> T:
    """A dataclass from a row with columns of its fields' names; `other`: fields that are not as in the row."""
    names = (field.name for field in fields(kind) if field.name not in other)  # type: ignore[arg-type]
    return kind(**{name: getattr(row, name) for name in names}, **other)


def dump(value: object) -> str:
    """As JSON, without what is as by default."""
    return shape(type(value)).serializer.to_json(value, exclude_defaults=True).decode()


def load_event(kind: str, body: str, prose: str | None = None) -> Event:
    return shape(EVENT_KINDS[kind]).validate_json(upcast_event(kind, join_prose(body, prose)))


def load_decision(body: str) -> Decision:
    return shape(Decision).validate_json(upcast_decisions(body))


@dataclass(frozen=True, slots=True)
class StreamKind(Generic[State]):
    """What a stream is about, made from its facts: how it begins, goes on, and is read."""

    state: type[State]
    begin: Callable[[Event], State]
    evolve: Callable[[State, Event], State]

    def load(self, body: str) -> State:
        today = upcast_plans(upcast_workflow(upcast_decisions(body, "open"), "plan"), "plan")
        return shape(self.state).validate_json(today)


_TASK = StreamKind(Task, task.begin, task.evolve)
_PROJECT = StreamKind(Project, project.begin, project.evolve)


def stream_kind(stream: StreamId) -> StreamKind[Any]:
    return _PROJECT if is_project(stream) else _TASK


def split_prose(body: str) -> tuple[str, str | None]:
    """A fact's JSON with numbers in place of its prose, and the prose; None: it has none."""
    prose = list[str]()
    name = ""

    def place(found: re.Match[str]) -> str:
        nonlocal name
        string = found[0]
        if string.endswith('":'):
            name = string[1:-2]
        elif (name in SAID or " " in string or string.startswith('"~')) and string != '""':
            prose.append(json.loads(string))
            return f'"~{len(prose)}"'
        return string

    rest = _STRING.sub(place, body)
    if not prose:
        return body, None
    text = json.dumps([secrets.token_hex(16), *prose])  # a short answer could be guessed from its hash alone
    return f'{rest[:-1]},"~":"{_hash(text)}"}}', text


def join_prose(body: str, text: str | None) -> str:
    """The fact's JSON as it was, but for words that were removed since."""
    if not has_prose(body):
        return body
    if text is None:
        raise ValueError("its words are missing")
    words: Sequence[str] = json.loads(text)
    return _END.sub("}", _PLACE.sub(lambda found: json.dumps(words[int(found[1])]), body))


def has_prose(body: str) -> bool:
    return _END.search(body) is not None


def is_prose_of(body: str, text: str | None, *, removed: bool) -> bool:
    """Whether these are the words that the fact was written with; of those with some removed nobody can say."""
    end = _END.search(body)
    if end is None or text is None:
        return end is None and text is None
    return removed or _hash(text) == end[1]


def fact_hash(prev: str, row: Mapping[str, object], cause: Cause) -> str:
    """Over a fact's own text and the hash of the fact before it."""
    parts = (row["stream"], row["version"], row["kind"], row["body"], repr(row["at"]), cause.actor, cause.delivery)
    return _hash("\x1f".join((prev, *map(str, parts))))


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def seconds(at: datetime) -> float:
    return at.timestamp()


def moment(at: float) -> datetime:
    return datetime.fromtimestamp(at, UTC)
