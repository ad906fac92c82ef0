"""Facts and decisions as text and back, and the hash that chains a stream's facts."""

import hashlib
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, TypeVar

from pydantic import TypeAdapter

from agents.domain import events as e
from agents.domain.decisions.decision import Decision
from agents.domain.events import Event
from store.old_decisions import modernize
from store.streams.words import put_back
from store.upcasts import upcast

T = TypeVar("T")

_ADAPTERS: dict[type[Any], TypeAdapter[Any]] = {}


def shape(kind: type[T]) -> TypeAdapter[T]:
    """The adapter of a type, made when it is first needed: to make all at once would delay the start."""
    if kind not in _ADAPTERS:
        _ADAPTERS[kind] = TypeAdapter(kind)
    return _ADAPTERS[kind]


EVENT_KINDS: dict[str, type[Event]] = {kind.__name__: kind for kind in e.ALL}

BEGINNING = "0" * 64  # the hash before a stream's first fact


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


def dump_event(event: Event) -> str:
    return shape(type(event)).serializer.to_json(event, exclude_defaults=True).decode()


def load_event(kind: str, body: str, prose: str | None = None) -> Event:
    whole = put_back(body, prose)
    if kind == e.DecisionOpened.__name__:
        whole = modernize(whole, "decision")
    return shape(EVENT_KINDS[kind]).validate_json(upcast(kind, whole))


def dump_decision(decision: Decision) -> str:
    return shape(Decision).serializer.to_json(decision, exclude_defaults=True).decode()


def load_decision(body: str) -> Decision:
    return shape(Decision).validate_json(modernize(body))


def chain_hash(prev: str, *parts: str) -> str:
    """The hash of a fact: over its own text and the hash of the fact before it."""
    return hashlib.sha256("\x1f".join((prev, *parts)).encode()).hexdigest()


def seconds(at: datetime) -> float:
    return at.timestamp()


def moment(at: float) -> datetime:
    return datetime.fromtimestamp(at, UTC)
