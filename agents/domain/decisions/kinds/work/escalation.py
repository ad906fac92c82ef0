"""A subtask that the rules could not settle: try it again, widen its scope, take it over, drop it, or cancel."""

from collections.abc import Iterator
from dataclasses import replace
from enum import StrEnum

from agents.domain import events as e
from agents.domain.checks.scope import paths_in
from agents.domain.decisions.authority import TROUBLE, Kind
from agents.domain.decisions.kind import Chosen, DecisionKind, Follows, Moment, Question, same_option
from agents.domain.decisions.subject import OfRun
from agents.domain.task.task import Task
from agents.domain.work.dispatching import about_run, drop, key_of, persons_branch, run_again, waiting_run
from agents.domain.work.work import Work


class EscalationOption(StrEnum):
    HINT = "hint"
    EXPAND = "expand"
    TAKE = "take"
    DROP = "drop"
    CANCEL = "cancel"


def apply_escalation(task: Task, subject: OfRun, chosen: Chosen, moment: Moment) -> Follows:
    work = waiting_run(task, subject)
    if work is None:
        return []
    match chosen.option.value:
        case EscalationOption.HINT:
            return [_try_again(task, work, chosen, moment)]
        case EscalationOption.EXPAND:
            return _ask_for_scope(task, work, chosen, moment)
        case EscalationOption.TAKE:
            return _take_over(task, work, chosen, moment)
        case _:
            return drop(task, work, chosen.person, moment, chosen.decision.id)


def escalate(task: Task, work: Work, why: str, moment: Moment) -> Follows:
    escalated = e.SubtaskEscalated(**about_run(task, work, moment.at), why=why)
    return [escalated, what_next(task, work, why)]


def what_next(task: Task, work: Work, why: str) -> Question:
    """What the checks found is on the card, from the judgement itself."""
    return Question(
        kind=Kind.ESCALATION,
        text=f"{task.id}.{work.number} ({task.plan.subtask(work.number).title}) needs you",
        evidence=(why, *_kept(work)),
        subject=OfRun(subtask=work.number, attempt=work.attempt),
        cause=key_of(task, work),
    )


def _kept(work: Work) -> Iterator[str]:
    """The folder goes, what was done stays."""
    if work.branch:
        yield f"Kept: branch {work.branch}"
    if work.patch:
        yield f"Kept: patch {work.patch}"


def _try_again(task: Task, work: Work, chosen: Chosen, moment: Moment) -> e.SubtaskReady:
    feedback = (*work.feedback, f"A person says: {chosen.words}") if chosen.words else work.feedback
    again = run_again(task, work, feedback, moment.at, afresh=True)
    return replace(again, anew=True) if work.spoilt else again


def _ask_for_scope(task: Task, work: Work, chosen: Chosen, moment: Moment) -> Follows:
    """Whoever may steer a task may not widen what it writes: that is an approver's."""
    paths = paths_in(chosen.words)
    if not paths:
        return escalate(task, work, "No path was named that could be allowed", moment)
    question = Question(
        kind=Kind.SCOPE,
        text=f"Let {task.id}.{work.number} write more than the plan names?",
        evidence=paths,
        subject=OfRun(subtask=work.number, attempt=work.attempt),
        cause="expand",
    )
    return [question]


def _take_over(task: Task, work: Work, chosen: Chosen, moment: Moment) -> Follows:
    taken = e.SubtaskTaken(**about_run(task, work, moment.at), by=chosen.person)
    question = Question(
        kind=Kind.TAKEN,
        text=f"{task.id}.{work.number} is yours: commit on {persons_branch(task, work)}",
        evidence=("When you are done, hand it in: I judge it like any other work.",),
        subject=OfRun(subtask=work.number, attempt=work.attempt),
        cause="taken",
    )
    return [taken, question]


ESCALATION = DecisionKind(
    name=Kind.ESCALATION,
    subject=OfRun,
    rule=TROUBLE,
    apply=apply_escalation,
    options=EscalationOption,
    needs_words=frozenset({EscalationOption.HINT, EscalationOption.EXPAND}),
    reads=lambda decision, text: same_option(decision, EscalationOption.HINT),
)
