"""A subtask that the rules could not settle: try it again, widen its scope, take it over, drop it, or cancel."""

from collections.abc import Iterator
from dataclasses import replace
from enum import StrEnum

from agents.domain import events as e
from agents.domain.decisions.authority import OWNERS, Kind, Rule
from agents.domain.decisions.decision import Decision, Option
from agents.domain.decisions.kind import Chosen, DecisionKind, Facts, Moment, Question, ask, cancel, same_option
from agents.domain.decisions.kinds.work.scope import SCOPE
from agents.domain.decisions.kinds.work.taken import TAKEN
from agents.domain.decisions.subject import OfRun
from agents.domain.task.task import Task
from agents.domain.work.dispatching import drop, persons_branch
from agents.domain.work.runs import about_run, key_of, run_again, waiting_run
from agents.domain.work.scope import paths_in
from agents.domain.work.work import Work


class EscalationOption(StrEnum):
    HINT = "hint"
    EXPAND = "expand"
    TAKE = "take"
    DROP = "drop"
    CANCEL = "cancel"


def apply(task: Task, subject: OfRun, chosen: Chosen, moment: Moment) -> Facts:
    if chosen.option.value == EscalationOption.CANCEL:
        return cancel(task, chosen, moment)
    work = waiting_run(task, subject)
    if work is None:
        return []
    match chosen.option.value:
        case EscalationOption.HINT:
            return _try_again(task, work, chosen, moment)
        case EscalationOption.EXPAND:
            return _ask_for_scope(task, work, chosen, moment)
        case EscalationOption.TAKE:
            return _take_over(task, work, chosen, moment)
        case _:
            return drop(task, work, chosen.person, moment, chosen.decision.id)


def escalate(task: Task, work: Work, why: str, moment: Moment) -> Facts:
    escalated = e.SubtaskEscalated(**about_run(task, work, moment.at), why=why)
    return [escalated, *ask_what_next(task, work, why, moment)]


def ask_what_next(task: Task, work: Work, why: str, moment: Moment) -> Facts:
    """What the checks found is on the card, from the judgement itself."""
    question = Question(
        kind=ESCALATION,
        text=f"{task.id}.{work.number} ({task.plan.subtask(work.number).title}) needs you",
        evidence=(why, *_kept(work)),
        subject=OfRun(subtask=work.number, attempt=work.attempt),
    )
    return ask(task, question, replace(moment, cause=f"{moment.cause}:{key_of(task, work)}"))


def _kept(work: Work) -> Iterator[str]:
    """The folder goes, what was done stays."""
    if work.branch:
        yield f"Kept: branch {work.branch}"
    if work.patch:
        yield f"Kept: patch {work.patch}"


def _try_again(task: Task, work: Work, chosen: Chosen, moment: Moment) -> Facts:
    feedback = (*work.feedback, f"A person says: {chosen.words}") if chosen.words else work.feedback
    again = run_again(task, work, feedback, moment.at, afresh=True)
    return [replace(again, anew=True) if work.spoilt else again]


def _ask_for_scope(task: Task, work: Work, chosen: Chosen, moment: Moment) -> Facts:
    """Whoever may steer a task may not widen what it writes: that is an approver's."""
    paths = paths_in(chosen.words)
    if not paths:
        return escalate(task, work, "No path was named that could be allowed", moment)
    question = Question(
        kind=SCOPE,
        text=f"Let {task.id}.{work.number} write more than the plan names?",
        evidence=paths,
        subject=OfRun(subtask=work.number, attempt=work.attempt),
    )
    return ask(task, question, replace(moment, cause=f"{moment.cause}:expand"))


def _take_over(task: Task, work: Work, chosen: Chosen, moment: Moment) -> Facts:
    taken = e.SubtaskTaken(**about_run(task, work, moment.at), by=chosen.person)
    question = Question(
        kind=TAKEN,
        text=f"{task.id}.{work.number} is yours: commit on {persons_branch(task, work)}",
        evidence=("When you are done, hand it in: I judge it like any other work.",),
        subject=OfRun(subtask=work.number, attempt=work.attempt),
    )
    return [taken, *ask(task, question, replace(moment, cause=f"{moment.cause}:taken"))]


def reads(decision: Decision, text: str) -> Option | None:
    return same_option(decision, EscalationOption.HINT)


ESCALATION = DecisionKind(
    name=Kind.ESCALATION,
    subject=OfRun,
    rule=Rule(who=OWNERS, reminders=3, by_words=True),
    apply=apply,
    options=EscalationOption,
    needs_words=frozenset({EscalationOption.HINT, EscalationOption.EXPAND, EscalationOption.CANCEL}),
    reads=reads,
)
