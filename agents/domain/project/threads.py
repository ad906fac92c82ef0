"""What a project asks for is asked in the thread of the task that gave rise to it, and answered there."""

from collections.abc import Sequence
from dataclasses import replace

from agents.domain.project.project import Project
from agents.domain.task.task import Task


def in_thread(task: Task, asking: Sequence[Project]) -> Task:
    """The task as its thread shows it: with the decisions that these projects ask for there."""
    if not asking:
        return task
    asked = (decision for project in asking for decision in project.open if decision.task == task.id)
    proposed = (each.proposal for project in asking for each in project.proposals if each.task == task.id)
    return replace(task, open=(*task.open, *asked), proposals=(*task.proposals, *proposed))
