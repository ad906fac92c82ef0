"""Questions about the code: what a read-only run is told, how it is watched, and what it finds."""

from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Protocol

from agents.domain.asking.facts import Evidence, Inquiry
from agents.domain.ids import TaskId
from agents.domain.task.task import Task
from agents.ports.models import Look
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
    """One question. `earlier`: those before it in the same thread, with their answers; `before`: of a task that it
    follows, for the prompt."""

    task: Task
    asked: Inquiry
    project: str
    commit: str
    earlier: tuple[Inquiry, ...] = ()
    before: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """An answer. Each place in `evidence` was looked up; `invented` counts those that are not there."""

    answer: str
    evidence: tuple[Evidence, ...] = ()
    excerpts: tuple[str, ...] = ()  # the lines around each of them
    invented: int = 0
    turns: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class LookBrief:
    """A look at the code for one question. `run` names whose it is, `step` the question."""

    task: Task
    run: str
    step: str
    project: str
    commit: str
    role: str  # that looks: by its budget of tokens
    turns: int  # that it may take
    judges: bool = False  # it may search what people confirmed, and nothing else that was noted
    continues: int = 0  # how many earlier questions of this run it goes on from; 0: it begins afresh


GoesOn = Callable[[], Awaitable[bool]]  # asked after each turn: whether anybody still wants the answer


class CodeReader(Protocol):
    """Looks at the code in runs that change nothing."""

    async def answer(self, brief: AskBrief, goes_on: GoesOn, show: Show = show_nothing) -> Found | None:
        """None: nobody wants it any more. Raises NoAnswer, BudgetReached, and OverlordError where it cannot run.

        A run that died goes on from its last turn; what it had answered it says again without being asked.
        """

    def look(self, brief: LookBrief, show: Show = show_nothing) -> AbstractAsyncContextManager[Look]:
        """For whoever answers a question of ours. Nothing is opened before the model wants to see something.

        A look that died goes on from its last turn.
        """
