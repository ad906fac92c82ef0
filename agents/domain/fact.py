"""What every fact has: the task it is about or came from, when it happened, and the stream it stands on."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generic, TypeVar

from agents.domain.ids import DecisionId, ProjectId, ProposalId, StreamId, TaskId

Part = TypeVar("Part")


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    task: TaskId
    at: datetime

    @property
    def stream(self) -> StreamId:
        return self.task


Kind = TypeVar("Kind", bound=Event)


@dataclass(frozen=True, slots=True, kw_only=True)
class OnEitherStream(Event):
    """What tasks and projects have alike. On a project's stream, `task` is the one that gave rise to it."""

    project: ProjectId | None = None  # None: it is the task's

    @property
    def stream(self) -> StreamId:
        return self.project or self.task


@dataclass(frozen=True, slots=True, kw_only=True)
class OnProject(OnEitherStream):
    """On a project's stream alone: it moves no task, and has no card of its own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AboutDecision(OnEitherStream):
    decision: DecisionId


@dataclass(frozen=True, slots=True, kw_only=True)
class AboutProposal(OnEitherStream):
    proposal: ProposalId


@dataclass(frozen=True, slots=True, kw_only=True)
class AboutWork(Event):
    """`attempt` is the run on the subtask's branch, from 1."""

    subtask: int
    attempt: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """What models took for one piece of work. `by` is the reviewer that was asked, or else the model's role."""

    by: str
    model: str
    calls: int  # that were made, those that came to nothing among them
    tokens_in: int = 0
    tokens_out: int = 0
    cached_tokens: int = 0  # of tokens_in
    cost: float = 0.0  # dollars
    seconds: float = 0.0  # that models took
    error: str = ""  # an ErrorClass, where the last question got no answer that counts


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured(Event):
    """A fact that ends work of models. What they took is filled in where it is recorded."""

    usage: tuple[Usage, ...] = ()  # one for each who was asked; facts of earlier versions do not say it


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredWork(AboutWork):
    """The same, about a run on a subtask."""

    usage: tuple[Usage, ...] = ()


class Fold(Generic[Part]):
    """What facts do to one part of a task: one typed function a kind. Other kinds leave the part as it is."""

    def __init__(self) -> None:
        self._steps: dict[type[Event], Callable[[Part, Any], Part]] = {}

    def on(self, *kinds: type[Kind]) -> Callable[[Callable[[Part, Kind], Part]], None]:
        def add(step: Callable[[Part, Kind], Part]) -> None:
            self._steps.update(dict.fromkeys(kinds, step))

        return add

    def __call__(self, part: Part, fact: Event) -> Part:
        step = self._steps.get(type(fact))
        return step(part, fact) if step else part
