"""What several decisions lead to: the task is cancelled, handed over, or its failed jobs are tried again."""

from agents.domain import events as e
from agents.domain.decisions.asking import ending_with, withdraw
from agents.domain.decisions.kind import Chosen, Facts, Moment
from agents.domain.task.task import Task


def cancel(task: Task, chosen: Chosen, moment: Moment, reason: str = "") -> Facts:
    ended = e.TaskCancelled(task=task.id, at=moment.at, by=chosen.person, reason=chosen.words or reason)
    return [ended, *withdraw(ending_with(task, but=chosen.decision.id), "the task was cancelled", moment)]


def hand_over(task: Task, chosen: Chosen, moment: Moment) -> Facts:
    """A person goes on with what there is."""
    ended = e.TaskHandedOver(task=task.id, at=moment.at, by=chosen.person)
    return [ended, *withdraw(ending_with(task, but=chosen.decision.id), "somebody took it over", moment)]


def retry_jobs(task: Task, chosen: Chosen, moment: Moment) -> Facts:
    return [e.JobRetried(task=task.id, at=moment.at, by=chosen.person, job=job) for job in task.parked]
