"""Minions: what one is told and given, how it is watched, and what its run comes to."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from agents.domain.context.packing import ReviewPack
from agents.domain.knowledge.choosing import Choice
from agents.domain.planning.decomposition import Subtask
from agents.domain.task.task import Task
from agents.domain.task.wishes import Wish
from agents.domain.work.work import Ending, Work
from agents.domain.workflow.steps import Step
from agents.domain.workflow.workflow import DEFAULT
from agents.ports.workspace import Checkout, Show, show_nothing

NOTHING_LEARNT = Choice()


@dataclass(frozen=True, slots=True, kw_only=True)
class Brief:
    """What a minion is told and given for one run, or for the rest of one.

    The wishes of `task` are told once each, before its next turn: all that it was not told in this run yet.
    """

    task: Task
    subtask: Subtask
    work: Work
    checkout: Checkout
    step: Step = DEFAULT.implement  # of the task's workflow: as whom it works, and how often its model is asked again
    notes: tuple[str, ...] = ()  # what those before it left
    knowledge: Choice = NOTHING_LEARNT
    since: tuple[str, ...] = ()  # what it must be told now beside wishes: an answer, also one that nobody gave
    interrupted: str = ""  # the bot died under it: what may have been left half done


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far a run is, after each of its turns. `turns` and `seconds` count the whole run, also before a crash."""

    turns: int
    seconds: float
    doing: str
    changed: int = 0
    skills: tuple[str, ...] = ()  # that it was given


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """task_complete. What it claims is judged by us."""

    summary: str
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """ask_human: the run goes on from its transcript when there is an answer."""

    question: str
    options: tuple[str, ...] = ()
    default: str = ""  # what silence means; empty: it waits
    risky: bool = False
    why: str = ""  # it matters


@dataclass(frozen=True, slots=True, kw_only=True)
class WantsScope:
    """It needs to write these paths too; a person decides."""

    paths: tuple[str, ...]
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GaveUp:
    ending: Ending
    problem: str


Outcome = Finished | Asked | WantsScope | GaveUp
Watch = Callable[[Progress], Awaitable[Sequence[Wish]]]  # told after each turn; returns what people said meanwhile


class Minions(Protocol):
    """Runs one short-lived minion in the sandbox. Cancelled, it leaves its transcript and its files as they are."""

    async def prepare(self, role: str) -> str:
        """Have ready what runs of this role need. Returns the engine and the sandbox, for the card."""

    async def run(self, brief: Brief, watch: Watch, show: Show = show_nothing) -> Outcome:
        """Raises NoAnswer and BudgetReached; all else that goes wrong is an outcome."""


class Files(Protocol):
    """Files beneath one folder that nobody trusts: no link is followed. Raises OverlordError or OSError."""

    def read(self, path: str, most: int = ...) -> bytes: ...

    def write(self, path: str, content: bytes) -> None:
        """Whole or not at all; folders are made."""

    def names(self, path: str, most: int) -> list[tuple[str, str]]:
        """At most so many names of a folder, each with "file", "folder", "link" or "other"."""

    def close(self) -> None: ...


class Turns(Protocol):
    """The transcript of a run: what was said and done, a row a turn, so that a crash loses no more than one."""

    async def of(self, run: str) -> Sequence[Mapping[str, object]]: ...

    async def add(self, run: str, number: int, turn: Mapping[str, object]) -> None: ...


class Packs(Protocol):
    """What a reviewer of finished work is given to read, within its budget."""

    async def for_review(self, task: Task, work: Work, commit: str, role: str, scope: str = "") -> ReviewPack:
        """What this role reads, by the context that `scope` names or by its own: the plan, the difference and the
        changed files as committed, in parts where it does not fit at once. Raises OverlordError where it cannot fit."""
