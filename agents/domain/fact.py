"""What every fact has: the task it is about, and when it happened."""

from dataclasses import dataclass
from datetime import datetime

from agents.domain.ids import DecisionId, ProposalId, TaskId


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    task: TaskId
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class AboutDecision(Event):
    decision: DecisionId


@dataclass(frozen=True, slots=True, kw_only=True)
class AboutProposal(Event):
    proposal: ProposalId


@dataclass(frozen=True, slots=True, kw_only=True)
class AboutWork(Event):
    """`attempt` is the run on the subtask's branch, from 1."""

    subtask: int
    attempt: int
