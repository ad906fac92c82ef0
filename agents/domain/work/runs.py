"""One attempt at a subtask: naming it, finding it again, and trying once more."""

from dataclasses import replace
from datetime import datetime
from typing import TypedDict

from agents.domain import events as e
from agents.domain.checks.scope import Scope, ScopeMode, limited_to
from agents.domain.decisions.subject import OfRun, OfStep
from agents.domain.ids import TaskId
from agents.domain.task.task import Task
from agents.domain.work.work import SubtaskState, Work, run_key


class About(TypedDict):
    """What a fact of work is about, as keyword arguments."""

    task: TaskId
    at: datetime
    subtask: int
    attempt: int


def about_run(task: Task, work: Work, at: datetime) -> About:
    return {"task": task.id, "at": at, "subtask": work.number, "attempt": work.attempt}


def run_at(task: Task, subject: OfRun | OfStep, state: SubtaskState) -> Work | None:
    """The run that a decision is about, if it still stands where it stood."""
    if not task.in_work:
        return None
    work = task.work.on(subject.subtask)
    return work if work.attempt == subject.attempt and work.state is state else None


def waiting_run(task: Task, subject: OfRun) -> Work | None:
    """The run that waits for a person's decision; none, if it has moved on."""
    return run_at(task, subject, SubtaskState.NEEDS_HUMAN)


def run_again(
    task: Task, work: Work, feedback: tuple[str, ...], at: datetime, *, afresh: bool = False
) -> e.SubtaskReady:
    """Another attempt on the same branch."""
    return replace(continue_run(task, work, at), attempt=work.attempt + 1, feedback=feedback, afresh=afresh)


def continue_run(task: Task, work: Work, at: datetime) -> e.SubtaskReady:
    """The same attempt: its transcript and its branch are there."""
    return e.SubtaskReady(**about_run(task, work, at), scope=work.scope, feedback=work.feedback)


def change_whole(task: Task, words: str, at: datetime) -> e.SubtaskReady:
    """The closing subtask sees all of it, so it is the one that fixes what a person found."""
    last = replace(task.work.subtasks[-1], scope=_scope_of_whole(task))
    return run_again(task, last, (f"A person read the whole and asks for changes: {words}",), at, afresh=True)


def _scope_of_whole(task: Task) -> Scope:
    scopes = [work.scope for work in task.work.subtasks]
    if any(each.mode is ScopeMode.UNRESTRICTED for each in scopes):
        return Scope(mode=ScopeMode.UNRESTRICTED)
    return limited_to(pattern for each in scopes for pattern in each.patterns)


def key_of(task: Task, work: Work) -> str:
    return run_key(task.id, work.number, work.attempt)
