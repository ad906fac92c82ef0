"""Counting what supervisors count, and calling those that are due before the next subtasks start."""

from collections.abc import Collection, Iterable
from dataclasses import replace
from functools import reduce

from agents.domain.fact import Event
from agents.domain.ids import derive_id, project_id
from agents.domain.supervision.counting import Watching, due
from agents.domain.supervision.facts import (
    AssessmentDue,
    Occasion,
    Signal,
    SupervisorsAwaited,
    SupervisorsCalled,
    WorkCounted,
    fold_counts,
)
from agents.domain.task.task import Task, TaskState
from agents.domain.work.work import Work


def supervise(
    task: Task, signals: Iterable[Signal], occasions: Collection[Occasion], watching: Watching, subtask: int = 0
) -> list[Event]:
    """What happened is counted. Whoever is due then is called; while the task is being polished nobody is."""
    settings, asks = watching.settings, is_assessor_due(task, occasions, watching)
    if not settings.enabled or not task.project or task.state is TaskState.POLISHING:
        return []
    on = project_id(task.project)
    counted = [WorkCounted(task=task.id, project=on, at=watching.at, signal=each, subtask=subtask) for each in signals]
    who, why = due(reduce(fold_counts, counted, watching.state), occasions, settings)
    call = derive_id("supervisors", task.id, watching.cause, str(subtask), why)
    if not who:
        due_now = [AssessmentDue(task=task.id, at=watching.at, call=call, wait=settings.wait)] if asks else []
        return [*counted, *due_now]
    called = SupervisorsCalled(
        task=task.id,
        project=on,
        at=watching.at,
        call=call,
        supervisors=who,
        occasion=why,
        cleanup_cap=settings.cleanup_cap,
        cleanup_age=settings.cleanup_age,
    )
    if task.has_ended:
        return [*counted, called]
    awaited = SupervisorsAwaited(
        task=task.id, at=watching.at, call=call, supervisors=who, occasion=why, wait=settings.wait, assess=asks
    )
    return [*counted, called, awaited]


def is_assessor_due(task: Task, occasions: Collection[Occasion], watching: Watching) -> bool:
    """At its interval, at the end of a phase and after a dropped subtask; not where nothing is left to be changed."""
    settings, works = watching.settings, task.work.subtasks
    left = any(not each.is_settled for each in works if not _is_added_by_code(task, each))
    if task.has_ended or not settings.assessor.enabled or not left or task.supervision.diverged:
        return False
    since = sum(each.is_settled for each in works) - task.supervision.assessed
    return bool({Occasion.PHASE, Occasion.ABORT} & {*occasions}) or 0 < settings.assessor_interval <= since


def after_drift(task: Task, watching: Watching) -> list[Event]:
    return supervise(task, [Signal.DRIFT], [], watching)


def after_amendment(task: Task, watching: Watching) -> list[Event]:
    """A person took another plan for what remains."""
    return supervise(task, [Signal.CHURN], [Occasion.REPLAN], watching)


def after_finish(task: Task, work: Work, watching: Watching) -> list[Event]:
    """A subtask was finished. What code added to open or close the work is no work of a minion to look at."""
    if _is_added_by_code(task, work):
        return []
    occasions = [Occasion.PHASE] if ends_phase(task, work) else []
    return supervise(task, [Signal.DONE], occasions, watching, work.number)


def after_drop(task: Task, work: Work, watching: Watching) -> list[Event]:
    return supervise(task, [Signal.ABORTED], [Occasion.ABORT], watching, work.number)


def after_cancel(task: Task, watching: Watching) -> list[Event]:
    """Work that had begun was given up. Whoever looks at it holds up nothing."""
    begun = any(work.attempt for work in task.work.subtasks)
    if not begun or task.state is TaskState.POLISHING:
        return []
    ended = replace(task, state=TaskState.CANCELLED)
    return supervise(ended, [Signal.ABORTED], [Occasion.ABORT], watching)


def after_refusal(task: Task, work: Work, watching: Watching) -> list[Event]:
    return supervise(task, [Signal.CHECK_FAILED], [], watching, work.number)


def ends_phase(task: Task, work: Work) -> bool:
    """Whether nothing of its phase is left to be done but judging the whole."""
    phase = task.plan.subtask(work.number).phase
    same = (each for each in task.work.subtasks if task.plan.subtask(each.number).phase == phase)
    return all(each.is_settled for each in same if not _is_added_by_code(task, each))


def _is_added_by_code(task: Task, work: Work) -> bool:
    draft = task.plan.draft
    return draft is not None and (draft.is_opening(work.number) or draft.is_closing(work.number))
