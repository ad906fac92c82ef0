"""What follows when a phase was taken back, or could not be."""

from collections.abc import Sequence

from agents.domain import events as e
from agents.domain.decisions.kind import Facts, Moment, Withdrawal, withdraw
from agents.domain.decisions.kinds.phases.phase_change import ask_about_phase
from agents.domain.decisions.kinds.phases.unreverted import ask_about_conflict
from agents.domain.decisions.subject import PhaseAct
from agents.domain.decisions.table import open_questions
from agents.domain.phases.changing import branches_of, change_of, overtaken_by
from agents.domain.reason import Reason, Why
from agents.domain.task.task import Task
from agents.domain.work.dispatching import about_run, came_to_nothing, evolve_all, start_next
from agents.domain.work.work import Reverting, SubtaskState


def after_revert(task: Task, reverting: Reverting, head: str, moment: Moment) -> Facts:
    """What waited for it goes with it. Where nothing is left, a person says whether the phase begins anew."""
    change = change_of(task, PhaseAct.REVERT, reverting.phase)
    stale = withdraw(overtaken_by(task, change), Withdrawal.PHASE, moment)
    reverted = e.PhaseReverted(
        task=task.id,
        at=moment.at,
        phase=reverting.phase,
        subtasks=reverting.subtasks,
        head=head,
        branches=branches_of(task, reverting.subtasks),
    )
    drops = (_drop(task, number, reverting, moment) for number in change.dropped)
    facts: list[e.Event] = [reverted, *stale, *drops]
    after = evolve_all(task, facts)
    if came_to_nothing(after):
        anew = ask_about_phase(after, PhaseAct.RESTART, reverting.phase)
        return open_questions(task, [*facts, anew], moment)
    return open_questions(task, [*facts, *start_next(after, moment)], moment)


def note_conflict(task: Task, reverting: Reverting, subtask: int, paths: Sequence[str], moment: Moment) -> Facts:
    failed = e.PhaseRevertFailed(task=task.id, at=moment.at, phase=reverting.phase, subtask=subtask, paths=tuple(paths))
    return open_questions(task, [failed, ask_about_conflict(failed)], moment)


def _drop(task: Task, number: int, reverting: Reverting, moment: Moment) -> e.SubtaskDropped:
    assert task.plan.draft is not None
    needed = (n for n in reverting.subtasks if number in task.plan.draft.dependents(n))
    why = Reason(code=Why.NEEDS_DROPPED, names=(f"{task.id}.{next(needed)}",))
    about = about_run(task, task.work.on(number), moment.at)
    return e.SubtaskDropped(**about, by=reverting.by, why=why, outcome=SubtaskState.BLOCKED)
