"""Facts of a phase that a person has begun anew or taken back, and what they change in the work."""

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace

from agents.domain.fact import Event
from agents.domain.ids import PersonId
from agents.domain.reason import Reason, Why
from agents.domain.work.work import Reverting, SubtaskState, Work, WorkState, begin_anew


@dataclass(frozen=True, slots=True, kw_only=True)
class PhaseRestarted(Event):
    """Its subtasks begin anew from the task's branch as it is; the whole is judged again after them."""

    phase: int
    subtasks: tuple[int, ...]  # that begin anew, with those that waited for one of them and were dropped for that
    by: PersonId
    branches: tuple[str, ...] = ()  # that nobody goes on with


@dataclass(frozen=True, slots=True, kw_only=True)
class PhaseRevertWanted(Event):
    """No subtask starts until what the phase brought is taken back, or a person goes on without that."""

    phase: int
    subtasks: tuple[int, ...]
    by: PersonId
    branches: tuple[str, ...] = ()  # that nobody goes on with


@dataclass(frozen=True, slots=True, kw_only=True)
class PhaseReverted(Event):
    """What it had brought is taken back by commits on top of the task's branch."""

    phase: int
    subtasks: tuple[int, ...]
    head: str  # of the task's branch, afterwards
    branches: tuple[str, ...] = ()  # that nobody goes on with


@dataclass(frozen=True, slots=True, kw_only=True)
class PhaseRevertFailed(Event):
    """Later work changed the same lines. Nothing was taken back; a person decides."""

    phase: int
    subtask: int  # whose work does not come off
    paths: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PhaseKept(Event):
    """A person goes on without taking it back."""

    phase: int
    by: PersonId


def fold_phases(work: WorkState, fact: Event) -> WorkState:
    """What facts of phases do to all the work of a task at once."""
    match fact:
        case PhaseRestarted(subtasks=numbers):
            return _change(work, numbers, begin_anew)
        case PhaseRevertWanted(phase=phase, subtasks=numbers, by=by):
            return _change(replace(work, reverting=Reverting(phase=phase, subtasks=numbers, by=by)), (), begin_anew)
        case PhaseReverted(subtasks=numbers):
            return _change(replace(work, reverting=None), numbers, _taken_back)
        case PhaseKept():
            return replace(work, reverting=None)
        case _:
            return work


def _change(work: WorkState, numbers: Collection[int], change: Callable[[Work], Work]) -> WorkState:
    """These, and the last one, which judges the whole anew."""
    last = work.subtasks[-1].number
    changed = (
        change(each) if each.number in numbers else begin_anew(each) if each.number == last else each
        for each in work.subtasks
    )
    return replace(work, subtasks=tuple(changed))


def _taken_back(work: Work) -> Work:
    gone = replace(begin_anew(work), joined=(), problem=Reason(code=Why.REVERTED))
    return replace(gone, state=SubtaskState.CANCELLED)
