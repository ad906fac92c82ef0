"""What each worker's part came to, in one form for all of them: minions, people who finish by hand, reviewers.

Nothing of it is stored. It is read off the facts, and what a worker claims of itself decides nothing.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from agents.domain import events as e
from agents.domain.checks.evaluation import Change, CodeReview, Evaluation, Opinion, Score
from agents.domain.checks.file_kinds import is_test
from agents.domain.events import Event
from agents.domain.models.failure import ErrorClass
from agents.domain.reason import Cause, Reason, Why
from agents.domain.work.work import Ending, run_key


class Status(StrEnum):
    SUCCESS = "SUCCESS"
    NEEDS_REVISION = "NEEDS_REVISION"  # another attempt may do
    BLOCKED = "BLOCKED"  # it waits for a person


class ReviewStatus(StrEnum):
    APPROVED = "APPROVED"
    CHANGES_REQUESTED = "CHANGES_REQUESTED"


class Made(StrEnum):
    SUCCESS = "SUCCESS"
    PARTIAL = "PARTIAL"  # there is something, and it may be built upon
    FAILED = "FAILED"  # there is nothing, or nothing that may be used


MINION, PERSON, OVERLORD = "minion", "person", "overlord"


@dataclass(frozen=True, slots=True, kw_only=True)
class Implementation:
    """Paths as git measured them; a test that was written is among the created or modified too."""

    status: Made
    files_created: tuple[str, ...] = ()
    files_modified: tuple[str, ...] = ()
    files_removed: tuple[str, ...] = ()
    tests_written: tuple[str, ...] = ()
    blockers: tuple[Cause, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerOutcome:
    """`run` is the minion's run it is about, such as T-1.2-1: its task, subtask and attempt."""

    run: str
    worker: str  # minion, person, overlord where there was only something to judge, or the reviewer's name
    status: Status
    action_taken: Cause
    files_modified: tuple[str, ...] = ()  # as git measured them
    review_status: ReviewStatus | None = None  # None: nobody reviewed it, or nobody came to a verdict
    blockers: tuple[Cause, ...] = ()
    next_step: Cause = ""
    implementation: Implementation | None = None  # None: it made nothing (a reviewer), or is not done with it


# A score; None: no verdict, so a person decides.
OF_SCORE: dict[Score | None, Status] = {
    Score.PASS: Status.SUCCESS,
    Score.NEEDS_REVISION: Status.NEEDS_REVISION,
    Score.FAIL: Status.BLOCKED,  # nothing that another attempt could mend
    None: Status.BLOCKED,
}
MADE_OF_SCORE: dict[Score | None, Made] = {
    Score.PASS: Made.SUCCESS,
    Score.NEEDS_REVISION: Made.PARTIAL,
    Score.FAIL: Made.FAILED,
    None: Made.PARTIAL,
}
OF_OPINION: dict[Opinion, ReviewStatus | None] = {
    Opinion.APPROVED: ReviewStatus.APPROVED,
    Opinion.CHANGES_REQUESTED: ReviewStatus.CHANGES_REQUESTED,
    Opinion.REJECTED: ReviewStatus.CHANGES_REQUESTED,
    Opinion.NO_VERDICT: None,
}
OF_ENDING: dict[Ending, Status] = {
    Ending.BLOCKED: Status.BLOCKED,
    Ending.TURNS: Status.NEEDS_REVISION,
    Ending.ERRORS: Status.NEEDS_REVISION,
    Ending.TIMEOUT: Status.NEEDS_REVISION,
    Ending.NO_SANDBOX: Status.BLOCKED,
    Ending.NO_GROUND: Status.BLOCKED,
    Ending.NO_ANSWER: Status.BLOCKED,
    Ending.TOO_LONG: Status.BLOCKED,
    Ending.CONFLICT: Status.NEEDS_REVISION,
}
# A model that gave no answer says more exactly why, where it was asked.
ERROR_OF_ENDING: dict[Ending, ErrorClass] = {
    Ending.BLOCKED: ErrorClass.LOGIC,
    Ending.TURNS: ErrorClass.RESOURCE,
    Ending.ERRORS: ErrorClass.CLI_ERROR,
    Ending.TIMEOUT: ErrorClass.RESOURCE,
    Ending.NO_SANDBOX: ErrorClass.RESOURCE,
    Ending.NO_GROUND: ErrorClass.RESOURCE,
    Ending.NO_ANSWER: ErrorClass.NETWORK,
    Ending.TOO_LONG: ErrorClass.RESOURCE,
    Ending.CONFLICT: ErrorClass.LOGIC,
}
NEXT: dict[Status, Reason] = {
    Status.SUCCESS: Reason(code=Why.JOINS_NEXT),
    Status.NEEDS_REVISION: Reason(code=Why.TRIES_NEXT),
    Status.BLOCKED: Reason(code=Why.PERSON_NEXT),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Run:
    """One run as far as it was read. No outcome: it is under way, or not judged yet."""

    said: str = ""
    worker: str = OVERLORD  # until a minion begins
    outcome: WorkerOutcome | None = None
    made: Made | None = None
    changes: tuple[Change, ...] = ()
    reviews: tuple[WorkerOutcome, ...] = ()


def outcomes(facts: Iterable[Event]) -> tuple[WorkerOutcome, ...]:
    """Of every run that ended, in the order in which they began, each followed by its reviewers'."""
    runs = dict[str, _Run]()
    for fact in facts:
        if isinstance(fact, e.AboutWork) and (read := AFTER[type(fact)]):
            key = run_key(fact.task, fact.subtask, fact.attempt)
            runs[key] = read(runs.get(key, _Run()), fact, key)
    return tuple(each for run in runs.values() if run.outcome for each in (_told(run, run.outcome), *run.reviews))


def _told(run: _Run, outcome: WorkerOutcome) -> WorkerOutcome:
    if run.made is None:
        return outcome
    written = [change for change in run.changes if change.status != "D"]
    made = Implementation(
        status=run.made,
        files_created=tuple(change.path for change in written if change.status == "A"),
        files_modified=tuple(change.path for change in written if change.status != "A"),
        files_removed=tuple(change.path for change in run.changes if change.status == "D"),
        tests_written=tuple(change.path for change in written if is_test(change.path) and change.added),
        blockers=outcome.blockers,
    )
    return replace(outcome, files_modified=tuple(change.path for change in run.changes), implementation=made)


def of_review(review: CodeReview, run: str) -> WorkerOutcome:
    status = OF_SCORE[review.score]
    return WorkerOutcome(
        run=run,
        worker=review.reviewer,
        status=status,
        action_taken=Reason(code=Why.READ_CHANGES),
        review_status=OF_OPINION[review.opinion],
        blockers=tuple(filter(None, (*review.security_concerns, *review.issues, review.why_none))),
        next_step="" if status is Status.SUCCESS else NEXT[status],
    )


def _goes_on(run: _Run, fact: Event, key: str) -> _Run:
    return replace(run, worker=MINION, outcome=None, made=None, reviews=())


def _of_minion(key: str, status: Status, did: Cause, blocker: Cause, next_step: Reason) -> WorkerOutcome:
    return WorkerOutcome(
        run=key, worker=MINION, status=status, action_taken=did, blockers=(blocker,), next_step=next_step
    )


def _asked(run: _Run, fact: e.MinionAsked, key: str) -> _Run:
    did, next_step = Reason(code=Why.ASKED), Reason(code=Why.ANSWER_NEXT)
    outcome = _of_minion(key, Status.BLOCKED, did, fact.question, next_step)
    return replace(run, outcome=outcome, made=None)


def _stopped(run: _Run, fact: e.MinionStopped, key: str) -> _Run:
    did, next_step = fact.doing or Reason(code=Why.NOTHING_YET), Reason(code=Why.RESUMES_NEXT)
    outcome = _of_minion(key, Status.NEEDS_REVISION, did, Reason(code=Why.STOPPED), next_step)
    return replace(run, outcome=outcome, made=_so_far(fact.changes), changes=fact.changes)


def _failed(run: _Run, fact: e.MinionFailed, key: str) -> _Run:
    did, next_step = Reason(code=Why.GAVE_UP, names=(fact.ending,)), NEXT[Status.BLOCKED]  # whatever it was
    outcome = _of_minion(key, OF_ENDING[fact.ending], did, fact.problem, next_step)
    return replace(run, outcome=outcome, made=_so_far(fact.changes), changes=fact.changes)


def _so_far(changes: tuple[Change, ...]) -> Made:
    return Made.PARTIAL if changes else Made.FAILED


def _handed_in(run: _Run, fact: e.WorkHandedIn, key: str) -> _Run:
    """A claim is no outcome: it has one when it is judged."""
    return _Run(said=fact.summary, worker=PERSON if fact.by else run.worker)


def _judged(run: _Run, fact: e.WorkEvaluated, key: str) -> _Run:
    judged = fact.evaluation
    score = None if judged.silent and judged.overall is Score.PASS else judged.overall
    status = OF_SCORE[score]
    outcome = WorkerOutcome(
        run=key,
        worker=run.worker,
        status=status,
        action_taken=run.said,
        review_status=_review_status(judged),
        blockers=(*judged.feedback, *(review.why_none for review in judged.reviews if review.why_none)),
        next_step=NEXT[status],
    )
    reviews = tuple(of_review(review, key) for review in judged.reviews)
    return replace(run, outcome=outcome, made=MADE_OF_SCORE[score], changes=judged.changes, reviews=reviews)


def _review_status(judged: Evaluation) -> ReviewStatus | None:
    """One who wants changes is enough; approved is what all of them approve."""
    said = {OF_OPINION[review.opinion] for review in judged.reviews}
    if ReviewStatus.CHANGES_REQUESTED in said:
        return ReviewStatus.CHANGES_REQUESTED
    return ReviewStatus.APPROVED if said == {ReviewStatus.APPROVED} else None


def _escalated(run: _Run, fact: e.SubtaskEscalated, key: str) -> _Run:
    """The rules ran out, whatever came before."""
    if run.outcome is None:
        return run
    why = run.outcome.blockers or (fact.why,)
    stuck = replace(run.outcome, status=Status.BLOCKED, blockers=why, next_step=NEXT[Status.BLOCKED])
    return replace(run, outcome=stuck)


def _then(next_step: Why | None) -> "_Read":
    what: Cause = Reason(code=next_step) if next_step else ""

    def read(run: _Run, fact: Event, key: str) -> _Run:
        return replace(run, outcome=replace(run.outcome, next_step=what)) if run.outcome else run

    return read


_Read = Callable[[_Run, Any, str], _Run]

# Every fact of work, and what it means for the run it is about. None: nothing.
AFTER: dict[type[Event], _Read | None] = {
    e.SubtaskReady: None,
    e.MinionStarted: _goes_on,
    e.MinionProgressed: None,
    e.MinionAsked: _asked,
    e.MinionAnswered: _goes_on,
    e.ScopeSettled: _goes_on,
    e.MinionStopped: _stopped,
    e.MinionFailed: _failed,
    e.WorkHandedIn: _handed_in,
    e.StepDue: None,
    e.StepPassed: None,
    e.StepRefused: None,
    e.ChecksResumed: _goes_on,
    e.ChecksWaived: _goes_on,
    e.TestsShown: None,
    e.TestsAccepted: _goes_on,
    e.WorkEvaluated: _judged,
    e.DraftDue: None,
    e.ChecksAwaited: _then(Why.REMOTE_NEXT),
    e.ChecksSeen: None,
    e.GatePassed: _then(Why.GATE_NEXT),
    e.SubtaskEscalated: _escalated,
    e.SubtaskTaken: _then(Why.BY_HAND_NEXT),
    e.BranchPublished: None,
    e.SubtaskDone: _then(None),
    e.SubtaskDropped: _then(None),
}
TELLING = frozenset(kind for kind, read in AFTER.items() if read)
