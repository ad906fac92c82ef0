"""What it means for the rest of the work when one phase of a plan begins anew, or is taken back."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from agents.domain.decisions.authority import Kind
from agents.domain.decisions.decision import Decision, Refusal, Refused
from agents.domain.decisions.subject import OfPhase, OfRun, OfStep, OfSubtask, PhaseAct
from agents.domain.ids import fingerprint
from agents.domain.task.task import Task
from agents.domain.work.work import SubtaskState, Work

OF_THE_WHOLE = (Kind.MERGE, Kind.OUTSIDE_REVIEW, Kind.UNMERGED, Kind.POLISH)


@dataclass(frozen=True, slots=True, kw_only=True)
class PhaseChange:
    """Subtasks by number; the one that judges the whole begins anew in any case."""

    act: PhaseAct
    phase: int
    members: tuple[int, ...]  # begin anew, or are taken back
    back: tuple[int, ...] = ()  # were dropped with one of those, and come back with it
    dropped: tuple[int, ...] = ()  # wait for one of those, and go with it
    stay: tuple[int, ...] = ()  # need one of those, and stay as they are
    later: tuple[int, ...] = ()  # of later phases, and begun: they stay as they are, too

    @property
    def numbers(self) -> tuple[int, ...]:
        return (*self.members, *self.back)


def change_of(task: Task, act: PhaseAct, phase: int) -> PhaseChange:
    plan = task.plan.draft
    assert plan is not None
    of_phase = [s.number for s in plan.steps if s.phase == phase and not s.opening]
    members = tuple(n for n in of_phase if not _was_left_out(task.work.on(n)))
    needing = sorted({n for member in members for n in plan.dependents(member)} - set(members))
    untouched = {n for n in needing if _is_untouched(task.work.on(n))}
    later = [s.number for s in plan.steps if s.phase > phase and _has_begun(task.work.on(s.number))]
    if act is PhaseAct.RESTART:
        back = tuple(n for n in needing if task.work.on(n).state is SubtaskState.BLOCKED)
        stay = tuple(n for n in needing if _has_begun(task.work.on(n)))
        return PhaseChange(act=act, phase=phase, members=members, back=back, stay=stay, later=_without(later, stay))
    stay = tuple(n for n in needing if _has_begun(task.work.on(n)))
    return PhaseChange(
        act=act,
        phase=phase,
        members=members,
        dropped=tuple(sorted(untouched)),
        stay=stay,
        later=_without(later, stay),
    )


def phases_of(task: Task) -> tuple[int, ...]:
    """Those that have something to begin anew or to take back: where a person left out all of one, there is nothing."""
    plan = task.plan.draft
    if plan is None or not task.work.subtasks:
        return ()
    return tuple(sorted({s.phase for s in plan.steps if not s.opening and not _was_left_out(task.work.on(s.number))}))


def subject_of(task: Task, act: PhaseAct, phase: int) -> OfPhase:
    """What a yes is bound to: which subtasks there are, and what they brought onto the task's branch."""
    members = change_of(task, act, phase).members
    parts = (f"{n}:{','.join(commit for commit, _ in task.work.on(n).contribution)}" for n in members)
    return OfPhase(phase=phase, act=act, shown=fingerprint(str(task.plan.number), *parts))


def refuse_unless_possible(task: Task, phase: int) -> None:
    """Raises Refused where no phase can be changed at this moment, and says what to do first."""
    if task.has_ended:
        raise Refused(Refusal.PHASE_OVER, task=task.id, option=str(phase))
    if not task.in_work or not task.work.branch or not (task.is_working or task.at_rest):
        raise Refused(Refusal.NO_WORK, task=task.id)
    if phase not in (there := phases_of(task)):
        raise Refused(Refusal.NO_PHASE, task=task.id, option=", ".join(map(str, there)))
    if task.work.reverting:
        raise Refused(Refusal.TAKING_BACK, task=task.id, option=str(task.work.reverting.phase))
    last = task.work.subtasks[-1]
    joining = next((work for work in task.work.subtasks if work.joins), None)
    if joining:
        raise Refused(Refusal.JOINING, task=task.id, option=f"{task.id}.{joining.number}")
    if last.state is SubtaskState.DONE and not any(d.kind in OF_THE_WHOLE for d in task.open):
        raise Refused(Refusal.MERGING, task=task.id)


def overtaken_by(task: Task, change: PhaseChange) -> tuple[Decision, ...]:
    """Open decisions about work that begins anew or is taken back."""
    touched = {*change.numbers, task.work.subtasks[-1].number}
    return tuple(d for d in task.open if d.kind in OF_THE_WHOLE or _is_about(d, touched))


def branches_of(task: Task, numbers: Iterable[int]) -> tuple[str, ...]:
    """Whose folders nobody is at; a minion that is at work leaves its own by itself."""
    works = (task.work.on(number) for number in numbers)
    return tuple(work.branch for work in works if work.branch and work.state is not SubtaskState.RUNNING)


def _is_about(decision: Decision, numbers: Collection[int]) -> bool:
    about = decision.subject
    return isinstance(about, OfRun | OfStep | OfSubtask) and about.subtask in numbers


def _without(numbers: Iterable[int], others: Collection[int]) -> tuple[int, ...]:
    return tuple(number for number in numbers if number not in others)


def _was_left_out(work: Work) -> bool:
    """Another plan for the rest, or a person, left it out of the plan."""
    return work.state is SubtaskState.CANCELLED and not work.was_reverted


def _is_untouched(work: Work) -> bool:
    return work.state is SubtaskState.PENDING and not work.queued and not work.has_begun


def _has_begun(work: Work) -> bool:
    return work.state is SubtaskState.DONE or (work.has_begun and not work.is_settled)
