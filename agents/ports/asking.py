"""Questions about the code: what a read-only run is told, how it is watched, and what it finds."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Protocol

from agents.domain.asking.facts import Evidence, Inquiry
from agents.domain.ids import TaskId
from agents.domain.task.task import Task
from agents.ports.workspace import Show, show_nothing


@dataclass(frozen=True, slots=True, kw_only=True)
class Nearby:
    """A task that somebody may mean: what it is about, how it stands, and what waits for a person."""

    id: TaskId
    request: str
    state: str
    waits_for: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What a reader of a message should know: what was said before it in its thread, and which tasks may be meant."""

    said: tuple[str, ...] = ()
    tasks: tuple[Nearby, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class AskBrief:
    """One question. `earlier`: those before it in the same thread, with their answers."""

    task: Task
    asked: Inquiry
    project: str
    commit: str
    earlier: tuple[Inquiry, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """An answer. Each place in `evidence` was looked up; `invented` counts those that are not there."""

    answer: str
    evidence: tuple[Evidence, ...] = ()
    excerpts: tuple[str, ...] = ()  # the lines around each of them
    invented: int = 0
    turns: int = 0


GoesOn = Callable[[], Awaitable[bool]]  # asked after each turn: whether anybody still wants the answer


class CodeReader(Protocol):
    """Answers questions about the code in one run that changes nothing."""

    async def answer(self, brief: AskBrief, goes_on: GoesOn, show: Show = show_nothing) -> Found | None:
        """None: nobody wants it any more. Raises NoAnswer, BudgetReached, and OverlordError where it cannot run.

        A run that died goes on from its last turn; what it had answered it says again without being asked.
        """
