"""What the deciding part needs from the world. Adapters implement these; flows receive them."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from pathlib import Path
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

    def of_channel(self, channel: str) -> str:
        """The project that a channel's work is for, where it names one."""
        ...

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


class EndedBy(StrEnum):
    """Why a command in the sandbox is over."""

    EXIT = "exit"
    TIMEOUT = "timeout"
    MEMORY = "memory"
    OUTPUT = "output"
    DISK = "disk"
    KILLED = "killed"  # the sandbox died under it, or its room was closed


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """What may be used inside a sandbox. Sizes in bytes."""

    name: str
    seconds: float  # for one command, everything it started included
    memory: int
    cpus: int
    processes: int
    disk: int  # by how much one command may let the workspace grow
    file: int  # the largest single file
    kept: int  # of the output; the middle is cut and counted
    output: int  # a command that says more than this is ended
    egress: frozenset[str] = frozenset()  # "host:port" that may be reached; none: no network at all


@dataclass(frozen=True, slots=True, kw_only=True)
class Workspace:
    """What a sandbox shows of the machine, beside the system's own programs."""

    path: Path  # may be written, but for its .git
    git: Path | None = None  # the repository that path is a worktree of
    readable: tuple[Path, ...] = ()  # a venv and the interpreter it stands on, for example
    environ: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """What came of one command in a sandbox. `output` is harmless to show."""

    ended_by: EndedBy
    exit_code: int | None  # None unless it ended by itself; 128 + n if signal n ended it
    output: str
    cut: int  # bytes of output that were left out
    seconds: float


class Room(Protocol):
    """A running sandbox. What a command leaves running ends with it."""

    async def run(
        self,
        command: Sequence[str],
        *,
        timeout: float | None = None,  # noqa: ASYNC109  it ends the command, which is a result like any other
        on_output: Callable[[str], None] | None = None,
    ) -> Ran:
        """One command at a time. `on_output` is told what comes, until as much came as is kept."""
        ...


class Sandbox(Protocol):
    """Runs programs that nobody trusts. There is no unsandboxed one (C28)."""

    @property
    def name(self) -> str: ...

    def open(self, workspace: Workspace, profile: Profile) -> AbstractAsyncContextManager[Room]:
        """A room for many commands. Raises SandboxUnusable."""
        ...

    async def once(
        self,
        workspace: Workspace,
        profile: Profile,
        command: Sequence[str],
        on_output: Callable[[str], None] | None = None,
    ) -> Ran:
        """One command in a room of its own: what gates are run with. Raises SandboxUnusable."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Ports:
    """Everything a flow may touch, made once in bot/app.py."""

    store: Store
    projects: Projects
    llm: Llm
    specialists: Specialists
    limits: Limits
