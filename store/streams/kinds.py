"""The two kinds of stream: how each begins, goes on, and is written down."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from agents.domain.events import Event
from agents.domain.ids import StreamId, is_project
from agents.domain.project import project
from agents.domain.project.project import Project
from agents.domain.task import fold as task
from agents.domain.task.task import Task
from store.codec import shape
from store.old_decisions import modernize

State = TypeVar("State")


@dataclass(frozen=True, slots=True)
class StreamKind(Generic[State]):
    """What a stream is about, made from its facts."""

    state: type[State]
    begin: Callable[[Event], State]
    evolve: Callable[[State, Event], State]

    def dump(self, state: State) -> str:
        return shape(self.state).serializer.to_json(state, exclude_defaults=True).decode()

    def load(self, body: str) -> State:
        return shape(self.state).validate_json(modernize(body, "open"))


TASK = StreamKind(Task, task.begin, task.evolve)
PROJECT = StreamKind(Project, project.begin, project.evolve)


def kind_of(stream: StreamId) -> StreamKind[Any]:
    return PROJECT if is_project(stream) else TASK
