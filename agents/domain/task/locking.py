"""Interfaces that are locked once they are agreed on: what nobody changes without a person's decision."""

from dataclasses import replace

from agents.domain.checks.scope import Scope, pattern_of
from agents.domain.planning.opening import files_of, interface_steps
from agents.domain.task.task import Task
from agents.domain.work.work import SubtaskState, Work
from agents.domain.workflow.steps import Step
from agents.domain.workflow.workflow import DEFAULT


def locking_steps(task: Task) -> tuple[Step, ...]:
    return interface_steps(task.plan.workflow or DEFAULT)


def locked_paths(task: Task) -> tuple[str, ...]:
    """Where the workflow has them written, or else what its opening subtask wrote; none before that is joined."""
    opening = next((work for work in task.work.subtasks if task.plan.subtask(work.number).opening), None)
    steps = locking_steps(task)
    if opening is None or opening.state is not SubtaskState.DONE or not steps:
        return ()
    named = tuple(pattern_of(path) for step in steps for path in files_of(step))
    wrote = opening.evaluation.changes if opening.evaluation else ()
    return named or tuple(change.path for change in wrote)


def fence_of(task: Task, work: Work) -> Scope:
    """What a run may write: its scope, but for interfaces that are locked."""
    if task.plan.subtask(work.number).opening:
        return work.scope
    return replace(work.scope, locked=locked_paths(task), opened=work.opened)
