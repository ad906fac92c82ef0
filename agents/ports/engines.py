"""What engines need that are programs of others: where they are on this machine, and a model lent to their sandbox."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from agents.domain.models.failure import Failure
from agents.domain.task.task import Task
from agents.domain.workflow.roles import EngineName
from agents.ports.workspace import Door

ADDRESS = "http://127.0.0.1:3128"  # on the sandbox's own loopback: the one that anything is reached at
TOOLS_ADDRESS = f"{ADDRESS}/overlord/mcp"

# What a program says to the tools of the Overlord, as JSON-RPC; None: nothing is answered.
Answer = Callable[[bytes], Awaitable[bytes | None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Act:
    """A tool that a model wanted in its last turn, in the words of the program that has it."""

    name: str
    arguments: Mapping[str, object] = field(default_factory=dict)


# Told before each turn, with what the turn before it did; returns why there is none. Empty: it may be taken.
NextTurn = Callable[[Sequence[Act]], Awaitable[str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Loan:
    """A model lent to one run of a program."""

    engine: EngineName
    run: str  # calls are counted under it
    task: Task
    model: str = ""  # as the role names it; empty: as the settings say
    tools: Answer
    next_turn: NextTurn
    question: str = "work"  # what it is asked, and as whom, for the book of calls
    role: str = "primary"


class LentModel(Door, Protocol):
    """Lets one program ask one model, until its budget is spent. It has a token of its own, which is no key."""

    @property
    def token(self) -> str: ...

    @property
    def model(self) -> str:
        """Its name, as the program must say it."""

    @property
    def calls(self) -> int:
        """How many were passed on."""

    @property
    def seconds(self) -> float:
        """How long the model took for them."""

    @property
    def last_failure(self) -> Failure | None:
        """Why the last call came to nothing, by what the provider answered; None: it did not."""

    async def until_spent(self) -> None:
        """Waits until a call would go over a budget. Raises BudgetReached."""


class Lender(Protocol):
    def lend(self, loan: Loan) -> LentModel:
        """Raises NoAnswer where there is no model, or no key for it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """A command-line agent on this machine. `readable`: all that it needs shown."""

    argv: tuple[str, ...]
    version: str
    readable: tuple[Path, ...] = ()
    environ: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Errand:
    """A question of ours that a program may answer: whose it is, and what it may look at meanwhile."""

    lender: Lender  # of the job that pays
    run: str  # its step within the job: calls are counted under it
    task: Task
    question: str
    role: str
    persona: str = ""  # the role in manifests/roles/ that is asked, where it is one
    project: str = ""
    commit: str = ""  # empty: it is shown nothing but the question
    looks: int = 0  # turns in which it may look


@dataclass(frozen=True, slots=True, kw_only=True)
class Answers:
    """What a program said last; `failure`: why that is no answer. `asking`: seconds that its model took."""

    text: str = ""
    failure: Failure | None = None
    asking: float = 0.0


# By a program and the model it is to ask, with all that is said to it. Raises BudgetReached.
AskProgram = Callable[[str, str, str, Errand], Awaitable[Answers]]
FindProgram = Callable[[EngineName], Program]  # raises OverlordError with what to do where it is not there
