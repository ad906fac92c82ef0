"""What the flows need of models, and what is remembered of every call."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from agents.domain.models.failure import Again, Failure, RetryPolicy
from agents.domain.models.money import Budget
from agents.domain.task.task import Task

if TYPE_CHECKING:
    from pydantic import BaseModel

Shape = TypeVar("Shape", bound="BaseModel")


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """One question to a model. `step` names it within its job, so that a finished answer is never paid twice."""

    question: str  # the prompt's name: "decompose", "critic", …
    role: str  # which model answers: primary, supervisor, summarizer, critic, custodiet
    step: str
    task: Task
    about: Mapping[str, object]  # what the prompt is filled with, beside what it says of the task and its files anyway
    policy: str = "default"  # which retry policy holds
    persona: str = ""  # the role in manifests/roles/ that is asked, where it is one: its own words are added
    brief: bool = False  # with little to read, and for a short answer
    refuse: Callable[[Any], str] = lambda answer: ""  # why an answer of the right shape is none; empty: it is one
    look: "Look | None" = None  # tools it may use before it answers; None: it answers from what it is shown


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
    left_out: tuple[tuple[str, str], ...] = ()  # files of the project's guidance that could not be used, and why


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """One thing a model may call. `takes` is a pydantic model, so that arguments are checked at the border."""

    name: str
    does: str
    takes: "type[BaseModel]"


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """What a model wants done. `arguments` is JSON as the model wrote it; nothing is trusted yet."""

    id: str
    name: str
    arguments: str


Owed = Callable[[], Awaitable[object]]  # something to be written down; to do it twice is to do it once
Keep = Callable[[], Awaitable["Spent"]]  # writes an answer and its cost down


@dataclass(frozen=True, slots=True, kw_only=True)
class Converse:
    """The next turn of a talk with tools. Messages are only ever appended, so that their beginning stays the same."""

    step: str  # unique within its run: a finished turn is never paid twice
    role: str
    task: Task
    messages: Sequence[Mapping[str, object]]  # as litellm takes them
    tools: Sequence[Tool]
    about: Mapping[str, object] = field(default_factory=dict)  # for the rehearsal: subtask, attempt, turn
    policy: str = "default"
    shorter: Callable[[int], Sequence[Mapping[str, object]]] | None = None  # the messages within so many tokens
    first: Sequence[Owed] = ()  # in this order, on disk before the model is asked; they share the commit of its budget


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """A model's whole turn."""

    text: str
    calls: tuple[ToolCall, ...] = ()
    again: bool = False  # it was said before a crash: what it wants may have been done, or half of it


class Look(Protocol):
    """A look at the code by whoever answers one question: tools that read, and what they have shown so far."""

    @property
    def tools(self) -> Sequence[Tool]: ...

    @property
    def talk(self) -> Sequence[Mapping[str, object]]:
        """Turns of the model and what it saw. They go after the question, and are only ever appended."""

    @property
    def turns(self) -> int:
        """How many were taken for this question."""

    @property
    def may_go_on(self) -> bool:
        """Whether there are turns and room left; else it must answer now."""

    @property
    def read(self) -> tuple[str, ...]:
        """Paths of the files that were opened."""

    @property
    def at(self) -> tuple[str, str]:
        """The project, and its commit that is looked at: for who has tools of its own."""

    def take_owed(self) -> Sequence[Owed]:
        """What is not on disk yet, the oldest first: to be written before the model is asked again."""

    async def see(self, said: Said, keep: Keep) -> None:
        """Does what a turn wants. `keep` writes the turn itself down; what came of it is written after that."""


class Llm(Protocol):
    """Asks a model and returns a whole answer of the asked shape, or raises NoAnswer or BudgetReached."""

    async def ask(self, asked: Ask, shape: type[Shape]) -> tuple[Shape, Spent]: ...


class Talker(Protocol):
    """Talks with a model that may call tools."""

    async def converse(self, turn: Converse) -> tuple[Said, Keep]:
        """One turn of a talk with tools; whole, or NoAnswer or BudgetReached. It is paid twice if a crash comes before
        it is kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One step that wants to be asked. The same job and step give the same id."""

    id: str
    task: Task
    question: str
    role: str
    models: Mapping[str, float]  # in the order of preference, each with the most that one call may cost
    job: str = ""
    step: str = ""  # its name within the job


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


class Retries(Protocol):
    """How often steps are tried again, and which of them rest because they failed too often. Kept over restarts."""

    def policy(self, name: str) -> RetryPolicy:
        """Under the limits. Raises SettingsProblem: a task may keep a workflow whose policy is gone since."""

    def next_try(self, failure: Failure, failures: int, policy: RetryPolicy) -> Again | None: ...

    async def admit(self, step: str) -> None:
        """Raises StepRests. A step that rested long enough, or that a person has tried again, may try once."""

    async def settle(self, step: str, failure: Failure | None) -> None:
        """How a try that was let through ended."""

    async def release(self, step: str) -> None:
        """A try that was let through says nothing about the step."""

    async def wait(self, seconds: float) -> None: ...


class CallBook(Protocol):
    """Remembers every call to a model: what it may cost, what it cost, and which models are out of order."""

    async def begin(self, call: Call) -> Admitted | Answered:
        """Reserve one call in the transaction that checks the budgets. Raises BudgetReached or NoAnswer."""

    async def record_try(self, call: Call, tried: Tried) -> None:
        """A call came to nothing. What it cost counts, and so does what it says about the model's health."""

    async def finish(self, call: Call, tried: Tried, answer: str, degraded: str) -> Spent: ...
