"""No silent stall: what will move a task that has not ended, or that nothing will."""

from dataclasses import dataclass

from agents.domain.decisions.table import questions
from agents.domain.task.task import Task


@dataclass(frozen=True, slots=True, kw_only=True)
class Pending:
    """What is written down to happen to a task by itself."""

    jobs: int = 0  # that wait or run
    unread: int = 0  # facts that the launcher has not been past: they may ask for a job


def is_stalled(task: Task, pending: Pending) -> bool:
    """Whether a task has not ended, nothing runs for it, and nobody was asked."""
    return not (task.ended or pending.jobs or pending.unread or questions(task))
