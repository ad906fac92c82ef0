"""A person wants a phase to begin anew, or what it brought to be taken back."""

from enum import StrEnum

from agents.domain import events as e
from agents.domain.decisions.authority import APPROVAL, OWNERS, STEERING, Kind, Rule
from agents.domain.decisions.decision import Refusal, Refused
from agents.domain.decisions.kind import Chosen, DecisionKind, Facts, Follows, Moment, Question, Withdrawal, withdraw
from agents.domain.decisions.subject import OfPhase, PhaseAct
from agents.domain.phases.changing import (
    branches_of,
    change_of,
    overtaken_by,
    refuse_unless_possible,
    subject_of,
)
from agents.domain.task.task import Task
from agents.domain.work.dispatching import came_to_nothing, evolve_all, start_next


class PhaseOption(StrEnum):
    GO = "go"
    KEEP = "keep"
    CANCEL = "cancel"


def ask_about_phase(task: Task, act: PhaseAct, phase: int) -> Question:
    """Bound to the work that its card shows. Where nothing is left of a plan, to leave it so would end nowhere."""
    other = PhaseOption.CANCEL if came_to_nothing(task) else PhaseOption.KEEP
    subject = subject_of(task, act, phase)
    cause = f"phase:{act}:{phase}:{subject.shown}"
    return Question(kind=Kind.PHASE, options=PHASE.offer(PhaseOption.GO, other), subject=subject, cause=cause)


def apply_phase(task: Task, subject: OfPhase, chosen: Chosen, moment: Moment) -> Follows:
    if chosen.option.value == PhaseOption.KEEP:
        return []
    refuse_unless_possible(task, subject.phase)
    if subject != subject_of(task, subject.act, subject.phase):
        said = f"{subject.act} phase {subject.phase} of {task.id}"
        raise Refused(Refusal.PHASE_CHANGED, task=task.id, option=said)
    if subject.act is PhaseAct.RESTART:
        return _restart(task, subject, chosen, moment)
    return [*_wanted(task, subject, chosen, moment), *_stale(task, subject, moment)]


def _restart(task: Task, subject: OfPhase, chosen: Chosen, moment: Moment) -> Follows:
    change = change_of(task, subject.act, subject.phase)
    last = task.work.subtasks[-1].number
    begun = e.PhaseRestarted(
        task=task.id,
        at=moment.at,
        phase=subject.phase,
        subtasks=change.numbers,
        by=chosen.person,
        branches=branches_of(task, (*change.numbers, last)),
    )
    facts = [begun, *_stale(task, subject, moment)]
    return [*facts, *start_next(evolve_all(task, facts), moment)]


def _wanted(task: Task, subject: OfPhase, chosen: Chosen, moment: Moment) -> Facts:
    change = change_of(task, subject.act, subject.phase)
    wanted = e.PhaseRevertWanted(
        task=task.id,
        at=moment.at,
        phase=subject.phase,
        subtasks=change.members,
        by=chosen.person,
        branches=branches_of(task, (task.work.subtasks[-1].number,)),
    )
    return [wanted]


def _stale(task: Task, subject: OfPhase, moment: Moment) -> Facts:
    return withdraw(overtaken_by(task, change_of(task, subject.act, subject.phase)), Withdrawal.PHASE, moment)


PHASE = DecisionKind(
    name=Kind.PHASE,
    subject=OfPhase,
    rule=APPROVAL,
    apply=apply_phase,
    options=PhaseOption,
    approves=frozenset({PhaseOption.GO}),
    wider={PhaseOption.KEEP: Rule(who=OWNERS), PhaseOption.CANCEL: STEERING},
    by_name=frozenset({PhaseOption.CANCEL}),
)
