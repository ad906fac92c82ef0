"""What the deciding part needs from the world. Adapters implement these; flows receive them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol, TypeVar

from pydantic import BaseModel

from agents.domain.asking import Moment
from agents.domain.budget import Budget
from agents.domain.events import Event
from agents.domain.failure import Failure
from agents.domain.ids import TaskId
from agents.domain.limits import Limits
from agents.domain.task import Task

Shape = TypeVar("Shape", bound=BaseModel)
Decide = Callable[[Task, Moment], Sequence[Event]]


class Clock(Protocol):
    """The time. Tests scale it and make it jump."""

    def now(self) -> datetime: ...

    def real_seconds(self, seconds: float) -> float:
        """How long to wait, on the machine's own clock, for so many seconds to pass on this one."""
        ...


class Store(Protocol):
    """The log of facts, as one job sees it."""

    async def task(self, id: TaskId) -> Task:
        """The task as its facts leave it now."""
        ...

    async def record(self, id: TaskId, decide: Decide) -> None:
        """Load the task, decide, append the facts and end the job, all in one transaction.

        A decision is a plain function, so nothing slow can be awaited inside the transaction.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """One question to a model. `step` names it within its job, so that a finished answer is never paid twice."""

    question: str  # the prompt's name: "decompose", "critic", …
    role: str  # which model answers: primary, supervisor, summarizer, critic, custodiet
    step: str
    task: Task | None = None  # None: no task has come of it yet
    about: Mapping[str, object]  # what the prompt is filled with, beside what it says of the task and its files anyway
    policy: str = "default"  # which retry policy holds
    channel: str = ""  # where no task says which


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """What one answered question took."""

    model: str = ""
    cost: float = 0.0
    tokens_in: int = 0
    tokens_out: int = 0
    cached_tokens: int = 0  # of tokens_in, those the provider had kept
    seconds: float = 0.0
    attempts: int = 1  # calls that were made for it, paid ones that came to nothing among them
    degraded: str = ""  # why another model than the preferred one answered
    warned: Budget | None = None  # this call took a budget over its warning mark; told once
    rehearsal: bool = False


class Llm(Protocol):
    """Asks a model and returns a whole answer of the asked shape, or raises NoAnswer or BudgetReached."""

    async def ask(self, asked: Ask, shape: type[Shape]) -> tuple[Shape, Spent]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One step that wants to be asked. The same job and step give the same id."""

    id: str
    task: Task | None
    channel: str
    question: str
    role: str
    models: Mapping[str, float]  # in the order of preference, each with the most that one call may cost


@dataclass(frozen=True, slots=True, kw_only=True)
class Admitted:
    model: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """The step was finished before; it is not paid again."""

    answer: str
    spent: Spent


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """One call that was made. `failure`: why its answer does not count."""

    model: str
    cost: float = 0.0
    tokens_in: int = 0
    tokens_out: int = 0
    cached_tokens: int = 0
    seconds: float = 0.0
    failure: Failure | None = None
    rests: bool = False  # the model itself says that it will not answer for long


class CallBook(Protocol):
    """Remembers every call to a model: what it may cost, what it cost, and which models are out of order."""

    async def begin(self, call: Call) -> Admitted | Answered:
        """Reserve one call in the transaction that checks the budgets. Raises BudgetReached or NoAnswer."""
        ...

    async def tried(self, call: Call, tried: Tried) -> None:
        """A call came to nothing. What it cost counts, and so does what it says about the model's health."""
        ...

    async def finish(self, call: Call, tried: Tried, answer: str, degraded: str) -> Spent: ...


class Projects(Protocol):
    """The code bases that work may be done on."""

    def names(self) -> Sequence[str]: ...

    async def files(self, project: str) -> Sequence[str]:
        """Paths of the committed files; none if the project is not here."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Specialist:
    """Advises on plans whose tags are its own; never blocks (M262)."""

    name: str
    tags: frozenset[str]
    focus: str


class Specialists(Protocol):
    def for_tags(self, tags: frozenset[str]) -> Sequence[Specialist]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Ports:
    """Everything a flow may touch, made once in bot/app.py."""

    store: Store
    projects: Projects
    llm: Llm
    specialists: Specialists
    limits: Limits
