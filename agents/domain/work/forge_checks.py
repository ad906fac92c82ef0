"""What follows from a look at the forge's own checks: the wait goes on, its step ends, or a person is asked."""

from agents.domain import events as e
from agents.domain.checks.evaluation import RiskLevel
from agents.domain.checks.remote import RemoteCheck, Standing, standing_of, waiting_for
from agents.domain.decisions.authority import Kind
from agents.domain.decisions.kind import Facts, Moment, Question
from agents.domain.decisions.subject import OfStep
from agents.domain.decisions.table import ask
from agents.domain.task.task import Task
from agents.domain.work.dispatching import about_run
from agents.domain.work.work import Awaited, SubtaskState, Work


def awaited_of(task: Task, fact: e.ChecksAwaited) -> Awaited | None:
    """What a subtask waits for still; none, if it was settled or worked on since."""
    work = task.work.on(fact.subtask)
    same = task.in_work and work.attempt == fact.attempt and work.state is SubtaskState.EVALUATING
    if not same or work.awaits is None:
        return None
    return work.awaits if fact.at == work.awaits.since else None  # somebody may have asked to wait once more


def standing_now(awaited: Awaited, checks: tuple[RemoteCheck, ...], moment: Moment) -> Standing:
    waited = (moment.at - awaited.since).total_seconds()
    return standing_of(checks, seconds=waited, grace=moment.limits.checks_grace)


def go_on_waiting(task: Task, work: Work, checks: tuple[RemoteCheck, ...], problem: str, moment: Moment) -> Facts:
    """What changed since the last look, if anything did."""
    known = work.awaits
    assert known is not None
    waiting, ended = waiting_for(checks), len(checks) - len(waiting_for(checks))
    if problem:
        waiting, ended = known.waiting, known.ended
    if (waiting, ended, problem) == (known.waiting, known.ended, known.problem):
        return []
    return [e.ChecksSeen(**about_run(task, work, moment.at), waiting=waiting, ended=ended, problem=problem)]


def is_over(awaited: Awaited, moment: Moment) -> bool:
    return moment.at - awaited.since >= moment.limits.within("checks_wait")


def ask_person(task: Task, work: Work, checks: tuple[RemoteCheck, ...], problem: str, moment: Moment) -> Facts:
    """They take longer than anybody waits. The same question is asked once for each wait."""
    awaited = work.awaits
    assert awaited is not None
    seen = go_on_waiting(task, work, checks, problem, moment)
    subject = OfStep(
        subtask=work.number, attempt=work.attempt, commit=awaited.commit, risk=work.risk or RiskLevel.MEDIUM
    )
    question = Question(
        kind=Kind.CHECKS,
        text=", ".join(awaited.waiting if problem else waiting_for(checks)),
        evidence=(problem,) if problem else (),
        subject=subject,
        cause=f"checks:{work.number}:{awaited.since.timestamp():.3f}",
    )
    return [*seen, *ask(task, question, moment)]
