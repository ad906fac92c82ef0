"""Decisions while minions work on subtasks: what they ask, what they may write, and what the rules cannot settle."""

from collections.abc import Iterator
from dataclasses import replace
from enum import StrEnum

from agents.domain import events as e
from agents.domain.checks.scope import Scope, ScopeMode, paths_in, paths_within, widen
from agents.domain.decisions.authority import APPROVERS, OWNERS, Kind, Requester, Rule, Silence
from agents.domain.decisions.decision import Decision, Option, lettered
from agents.domain.decisions.kind import (
    Chosen,
    DecisionKind,
    Facts,
    Follows,
    Moment,
    Question,
    assents,
    same_option,
    takes_any_words,
)
from agents.domain.decisions.subject import OfRun, OfSubtask
from agents.domain.task.task import Task
from agents.domain.work.dispatching import about_run, drop, key_of, persons_branch, run_again, waiting_run
from agents.domain.work.work import SubtaskState, Work

NOBODY_ANSWERED = "Nobody answered in time, so your default holds: "
GROWTH = Rule(who=APPROVERS, requester=Requester.UNLESS_CHANNEL_FORBIDS)
REMINDED = Rule(who=OWNERS, reminders=3, by_words=True)


class QuestionOption(StrEnum):
    ANSWER = "answer"


def answers(suggested: tuple[str, ...], default: str) -> tuple[Option, ...]:
    """Those that the minion suggests; the last one takes words. A default in free text can be pressed too."""
    choices = dict.fromkeys((*suggested, *((default,) if default else ())))
    offered = (Option(value=each, label=each) for each in choices)
    return lettered(*offered, QUESTION.option(QuestionOption.ANSWER))


def apply_question(task: Task, subject: OfRun, chosen: Chosen, moment: Moment) -> Facts:
    work = waiting_run(task, subject)
    if work is None:
        return []
    answer = chosen.answer if chosen.by else f"{NOBODY_ANSWERED}{chosen.answer}"
    return [e.MinionAnswered(**about_run(task, work, moment.at), answer=answer, by=chosen.by)]


# A minion asks.
QUESTION = DecisionKind(
    name=Kind.QUESTION,
    subject=OfRun,
    rule=Rule(who=OWNERS, silence=Silence.TAKES_DEFAULT, reminders=1, by_words=True),
    apply=apply_question,
    options=QuestionOption,
    needs_words=frozenset({QuestionOption.ANSWER}),
    reads=takes_any_words,
    answers=True,
)


class ScopeOption(StrEnum):
    ALLOW = "allow"
    REFUSE = "refuse"


def apply_scope(task: Task, subject: OfRun, chosen: Chosen, moment: Moment) -> Facts:
    work, paths = waiting_run(task, subject), chosen.decision.evidence
    if work is None:
        return []
    granted = chosen.option.value == ScopeOption.ALLOW
    scope = widen(work.scope, paths) if granted else work.scope
    answer = (
        f"You may now write these too: {', '.join(paths)}"
        if granted
        else f"No, stay within what you may write. {chosen.words}".strip()
    )
    return [e.ScopeSettled(**about_run(task, work, moment.at), scope=scope, answer=answer, by=chosen.person)]


def read_scope(decision: Decision, text: str) -> Option | None:
    return same_option(decision, ScopeOption.ALLOW if assents(text) else ScopeOption.REFUSE)


# A minion needs to write more than the plan names. The evidence is the paths.
SCOPE = DecisionKind(
    name=Kind.SCOPE,
    subject=OfRun,
    rule=GROWTH,
    apply=apply_scope,
    options=ScopeOption,
    approves=frozenset({ScopeOption.ALLOW}),
    needs_words=frozenset({ScopeOption.REFUSE}),
    reads=read_scope,
)


class StartScopeOption(StrEnum):
    ALLOW = "allow"
    UNRESTRICTED = "unrestricted"
    PATHS = "paths"


ANY_APPROVAL = Option(value="", approves=True)  # they say yes to something, and the buttons say to what


def apply_start_scope(task: Task, subject: OfSubtask, chosen: Chosen, moment: Moment) -> Facts:
    work = task.work.on(subject.subtask) if task.in_work else None
    if work is None or work.state is not SubtaskState.PENDING or work.queued:
        return []
    match chosen.option.value:
        case StartScopeOption.UNRESTRICTED:
            allowed = Scope(mode=ScopeMode.UNRESTRICTED)
        case StartScopeOption.PATHS:
            allowed = widen(Scope(mode=ScopeMode.EXPLICIT), paths_in(chosen.words))
        case _:
            allowed = Scope(mode=ScopeMode.DIRECTORY, patterns=chosen.decision.evidence)
    return [e.SubtaskReady(task=task.id, at=moment.at, subtask=work.number, attempt=1, scope=allowed)]


def read_start_scope(decision: Decision, text: str) -> Option | None:
    """A yes, or paths that are named instead: a person must press before either holds."""
    if assents(text):
        return same_option(decision, StartScopeOption.ALLOW)
    return same_option(decision, StartScopeOption.PATHS) if paths_within(text) else ANY_APPROVAL


# The plan names no files for a subtask: what may it write? The evidence is what we suggest.
# Everything is an explicit choice of a person.
START_SCOPE = DecisionKind(
    name=Kind.START_SCOPE,
    subject=OfSubtask,
    rule=GROWTH,
    apply=apply_start_scope,
    options=StartScopeOption,
    approves=frozenset(StartScopeOption),
    needs_words=frozenset({StartScopeOption.PATHS}),
    reads=read_start_scope,
)


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


# A subtask that the rules could not settle: try it again, widen its scope, take it over, drop it, or cancel.
ESCALATION = DecisionKind(
    name=Kind.ESCALATION,
    subject=OfRun,
    rule=REMINDED,
    apply=apply_escalation,
    options=EscalationOption,
    needs_words=frozenset({EscalationOption.HINT, EscalationOption.EXPAND}),
    reads=lambda decision, text: same_option(decision, EscalationOption.HINT),
)


class TakenOption(StrEnum):
    HAND_IN = "hand_in"
    DROP = "drop"
    CANCEL = "cancel"


def apply_taken(task: Task, subject: OfRun, chosen: Chosen, moment: Moment) -> Follows:
    work = waiting_run(task, subject)
    if work is None:
        return []
    if chosen.option.value == TakenOption.DROP:
        return drop(task, work, chosen.person, moment, chosen.decision.id)
    about = about_run(task, work, moment.at)
    return [e.WorkHandedIn(**about, commit="", summary="finished by hand", by=chosen.person)]


# A subtask that a person works on: check their branch, drop it, or cancel the task.
TAKEN = DecisionKind(name=Kind.TAKEN, subject=OfRun, rule=REMINDED, apply=apply_taken, options=TakenOption)
