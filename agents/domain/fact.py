"""What every fact has: the task it is about or came from, when it happened, and the stream it stands on."""

from dataclasses import dataclass
from datetime import datetime

from agents.domain.ids import DecisionId, ProjectId, ProposalId, StreamId, TaskId


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    task: TaskId
    at: datetime

    @property
    def stream(self) -> StreamId:
        return self.task


@dataclass(frozen=True, slots=True, kw_only=True)
class OnEitherStream(Event):
    """What tasks and projects have alike. On a project's stream, `task` is the one that gave rise to it."""

    project: ProjectId | None = None  # None: it is the task's

    @property
    def stream(self) -> StreamId:
        return self.project or self.task


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
