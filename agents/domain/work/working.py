"""What follows from a minion's run, from judging its work, and from the last pull request."""

from dataclasses import dataclass, replace

from agents.domain import events as e
from agents.domain.checks.evaluation import Change
from agents.domain.checks.risk import Risk
from agents.domain.decisions.authority import Kind
from agents.domain.decisions.kind import Facts, Moment, Question, Withdrawal, ending_with, withdraw
from agents.domain.decisions.kinds.work.escalation import what_next
from agents.domain.decisions.kinds.work.question import answers
from agents.domain.decisions.subject import OfHead, OfRun
from agents.domain.decisions.table import ask, open_questions
from agents.domain.learning import proposing
from agents.domain.reason import Cause
from agents.domain.task.locking import fence_of
from agents.domain.task.task import Task
from agents.domain.work.dispatching import about_run, continue_run, key_of
from agents.domain.work.work import Ending, SubtaskState, Work
from agents.domain.workflow.workflow import DEFAULT


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What a minion asks a person for, as its run leaves it."""

    question: str
    options: tuple[str, ...] = ()
    default: str = ""
    why: str = ""  # it matters
    paths: tuple[str, ...] = ()  # more scope, if any


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """A run that came to nothing, and what was kept of it."""

    ending: Ending
    problem: str
    commit: str = ""
    patch: str = ""
    changes: tuple[Change, ...] = ()


def is_current(task: Task, fact: e.AboutWork) -> bool:
    """The run a job is for is still the one that counts."""
    work = task.work.on(fact.subtask)
    moves = work.has_begun and work.state in (SubtaskState.PENDING, SubtaskState.RUNNING)
    return task.in_work and work.attempt == fact.attempt and moves


def note_stop(task: Task, work: Work, commit: str, moment: Moment, changes: tuple[Change, ...] = ()) -> Facts:
    if task.has_ended or not work.has_begun or work.state not in (SubtaskState.PENDING, SubtaskState.RUNNING):
        return []
    rests = e.MinionStopped(**about_run(task, work, moment.at), commit=commit, doing=work.doing, changes=changes)
    if task.is_working:  # it was resumed before this run had ended: nobody else would start it again
        return [rests, continue_run(task, work, moment.at)]
    return [rests]


def ask_person(task: Task, work: Work, wanted: Wanted, commit: str, moment: Moment) -> Facts:
    """A question of its own, or one for more scope: bound to this run and to these very paths."""
    pause = e.MinionAsked(**about_run(task, work, moment.at), commit=commit, question=wanted.question)
    return open_questions(task, [pause, _question(task, work, wanted)], moment)


def _question(task: Task, work: Work, wanted: Wanted) -> Question:
    run = OfRun(subtask=work.number, attempt=work.attempt, words=wanted.question)
    cause = f"{key_of(task, work)}:{work.questions}"
    if wanted.paths and any(map(fence_of(task, work).locks, wanted.paths)):
        return Question(kind=Kind.INTERFACE, evidence=wanted.paths, subject=run, cause=cause)
    if wanted.paths:
        return Question(kind=Kind.SCOPE, evidence=wanted.paths, subject=run, cause=cause)
    return Question(
        kind=Kind.QUESTION,
        options=answers(wanted.options, wanted.default),
        evidence=(wanted.why,) if wanted.why else (),
        subject=run,
        default=wanted.default,
        cause=cause,
    )


def note_failure(task: Task, work: Work, ended: Ended, moment: Moment) -> Facts:
    """A run that came to nothing goes to a person, with what was kept. A blocker may become a proposal."""
    fact = e.MinionFailed(
        **about_run(task, work, moment.at),
        ending=ended.ending,
        problem=ended.problem,
        commit=ended.commit,
        patch=ended.patch,
        changes=ended.changes,
    )
    proposal = proposing.after_blocker(task, work, ended.problem, moment) if ended.ending is Ending.BLOCKED else []
    asked = what_next(task, replace(work, patch=ended.patch), ended.problem, ended.ending)
    return open_questions(task, [fact, asked, *proposal], moment)


def open_merge(task: Task, opened: e.PullOpened, risk: Risk, changes: tuple[Change, ...], moment: Moment) -> Facts:
    """A merge is always a person's; whose, depends on the risk. It is bound to the very head that is shown. A workflow
    may want people outside to read it before."""
    if (task.plan.workflow or DEFAULT).waits_for_review:
        subject = OfHead(commit=opened.head, risk=risk.level)
        return [opened, *ask(task, Question(kind=Kind.OUTSIDE_REVIEW, text=opened.url, subject=subject), moment)]
    return [opened, *ask_to_merge(task, opened.head, risk, changes, moment)]


def ask_to_merge(task: Task, head: str, risk: Risk, changes: tuple[Change, ...], moment: Moment) -> Facts:
    added, removed = sum(c.added for c in changes), sum(c.removed for c in changes)
    subject = OfHead(commit=head, risk=risk.level, files=len(changes), added=added, removed=removed)
    return ask(task, Question(kind=Kind.MERGE, evidence=risk.why, subject=subject), moment)


def note_unmerged(task: Task, problem: Cause, moment: Moment) -> Facts:
    question = Question(kind=Kind.UNMERGED, evidence=(problem,))
    return [e.MergeFailed(task=task.id, at=moment.at, problem=problem), *ask(task, question, moment)]


def close(task: Task, moment: Moment) -> Facts:
    """The task has ended well: nothing is left to decide but what it gave rise to."""
    repeated = open_questions(task, proposing.look_for_patterns(task, (), moment), moment)
    return [*repeated, *withdraw(ending_with(task), Withdrawal.DONE, moment)]
