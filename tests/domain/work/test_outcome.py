"""What each worker's part came to: no cell is missing, and no claim counts."""

from dataclasses import fields
from datetime import UTC, datetime

import pytest

from agents.domain import events as e
from agents.domain.checks.evaluation import Change, CodeReview, Evaluation, Opinion, RiskLevel, Score
from agents.domain.events import Event
from agents.domain.ids import PersonId, TaskId
from agents.domain.reason import Reason, Why
from agents.domain.work.outcome import (
    AFTER,
    MADE_OF_SCORE,
    NEXT,
    OF_ENDING,
    OF_OPINION,
    OF_SCORE,
    Implementation,
    Made,
    ReviewStatus,
    Status,
    WorkerOutcome,
    of_review,
    outcomes,
)
from agents.domain.work.work import Ending
from bot.cards.work.attempts import in_numbers

ABOUT = {"task": TaskId("T-1"), "at": datetime(2026, 3, 2, tzinfo=UTC), "subtask": 1, "attempt": 1}


def fact(kind: type[Event], **more: object) -> Event:
    return kind(**ABOUT, **more)  # type: ignore[arg-type]


def judged(score: Score, *opinions: Opinion, silent: bool = False) -> Event:
    reviews = tuple(
        CodeReview(reviewer=f"reviewer {n}", opinion=opinion, why_none="it is mute" if silent else "")
        for n, opinion in enumerate(opinions, 1)
    )
    evaluation = Evaluation(
        subtask=1,
        attempt=1,
        commit="c",
        tree="t",
        overall=score,
        reviews=reviews,
        changes=(Change(path="app.py", status="M"),),
        silent=silent,
    )
    return fact(e.WorkEvaluated, evaluation=evaluation, risk=RiskLevel.LOW)


HANDED_IN = fact(e.WorkHandedIn, commit="c", summary="I wrote form.py and all is well")


def last(*facts: Event) -> WorkerOutcome:
    return outcomes(facts)[0]


def test_every_cell_is_there() -> None:
    assert OF_ENDING.keys() == set(Ending)
    assert OF_OPINION.keys() == set(Opinion)
    assert OF_SCORE.keys() == MADE_OF_SCORE.keys() == {*Score, None}
    assert NEXT.keys() == set(Status)
    assert AFTER.keys() == {kind for kind in e.ALL if issubclass(kind, e.AboutWork)}


def test_it_has_the_fields_that_tools_expect() -> None:
    wanted = {"status", "action_taken", "files_modified", "review_status", "blockers", "next_step"}
    assert {field.name for field in fields(WorkerOutcome)} == {"run", "worker", "implementation", *wanted}


def test_what_was_made_has_the_fields_that_tools_expect() -> None:
    wanted = {"status", "files_created", "files_modified", "tests_written", "blockers"}
    assert {field.name for field in fields(Implementation)} == {"files_removed", *wanted}
    assert set(Made) == {"SUCCESS", "PARTIAL", "FAILED"}


def test_a_claim_is_no_outcome() -> None:
    assert outcomes([fact(e.MinionStarted, branch="b", base="0", engine="x"), HANDED_IN]) == ()


@pytest.mark.parametrize(
    ("score", "opinions", "status", "review"),
    [
        (Score.PASS, (Opinion.APPROVED,), Status.SUCCESS, ReviewStatus.APPROVED),
        (Score.PASS, (Opinion.APPROVED, Opinion.APPROVED), Status.SUCCESS, ReviewStatus.APPROVED),
        (Score.PASS, (), Status.SUCCESS, None),
        (Score.NEEDS_REVISION, (), Status.NEEDS_REVISION, None),
        (
            Score.NEEDS_REVISION,
            (Opinion.APPROVED, Opinion.CHANGES_REQUESTED),
            Status.NEEDS_REVISION,
            ReviewStatus.CHANGES_REQUESTED,
        ),
        (Score.FAIL, (Opinion.REJECTED,), Status.BLOCKED, ReviewStatus.CHANGES_REQUESTED),
    ],
)
def test_what_is_judged_is_what_counts(
    score: Score, opinions: tuple[Opinion, ...], status: Status, review: ReviewStatus | None
) -> None:
    found = last(HANDED_IN, judged(score, *opinions))
    assert (found.status, found.review_status, found.next_step) == (status, review, NEXT[status])
    assert found.files_modified == ("app.py",), "not what the summary names"
    assert found.action_taken == "I wrote form.py and all is well"


def test_silence_waits_for_a_person() -> None:
    found = last(HANDED_IN, judged(Score.PASS, Opinion.APPROVED, Opinion.NO_VERDICT, silent=True))
    assert (found.status, found.review_status, found.next_step) == (Status.BLOCKED, None, NEXT[Status.BLOCKED])
    assert "it is mute" in found.blockers


def test_a_reviewers_word_is_an_outcome_too() -> None:
    wants = CodeReview(reviewer="reviewer 1", opinion=Opinion.CHANGES_REQUESTED, issues=("app.py: no test",))
    found = of_review(wants, "T-1.1-1")
    assert (found.status, found.review_status) == (Status.NEEDS_REVISION, ReviewStatus.CHANGES_REQUESTED)
    assert found.blockers == ("app.py: no test",) and not found.files_modified
    unsafe = CodeReview(reviewer="reviewer 1", opinion=Opinion.REJECTED, security_concerns=("a key is logged",))
    assert of_review(unsafe, "T-1.1-1").status is Status.BLOCKED
    mute = CodeReview(reviewer="reviewer 1", opinion=Opinion.NO_VERDICT, why_none="no answer")
    assert of_review(mute, "T-1.1-1").review_status is None


def test_stopped_resumed_and_finished_by_hand() -> None:
    stopped = fact(e.MinionStopped, commit="c", doing="writing tests", changes=(Change(path="a.py", status="A"),))
    halted = last(stopped)
    assert (halted.status, halted.files_modified, halted.action_taken) == (
        Status.NEEDS_REVISION, ("a.py",), "writing tests",
    )  # fmt: skip
    assert outcomes([stopped, fact(e.MinionStarted, branch="b", base="0", engine="x")]) == (), "it goes on"
    by_hand = fact(e.WorkHandedIn, commit="c", summary="by hand", by=PersonId("ana"))
    done = last(stopped, by_hand, judged(Score.PASS), fact(e.GatePassed), fact(e.SubtaskDone, commit="d"))
    assert (done.worker, done.status, done.next_step) == ("person", Status.SUCCESS, "")


def test_what_is_taken_to_a_person_is_blocked() -> None:
    given_up = last(HANDED_IN, judged(Score.NEEDS_REVISION), fact(e.SubtaskEscalated, why="3 attempts failed"))
    assert (given_up.status, given_up.blockers) == (Status.BLOCKED, ("3 attempts failed",))
    taken = last(fact(e.MinionFailed, ending=Ending.TURNS, problem="too long"), fact(e.SubtaskTaken, by=PersonId("a")))
    assert (taken.status, taken.next_step) == (Status.NEEDS_REVISION, Reason(code=Why.BY_HAND_NEXT))


CHANGES = (
    Change(path="app.py", status="M", added=1),
    Change(path="new.py", status="A", added=9),
    Change(path="old.py", status="D", removed=4),
    Change(path="tests/test_app.py", status="M", added=3),
    Change(path="tests/test_gone.py", status="D", removed=3),
    Change(path="tests/test_mode.py", status="M", mode="100755"),
    Change(path="tests/test_new.py", status="A", added=7),
)


def made(*facts: Event) -> Implementation | None:
    return last(*facts).implementation


def test_what_was_made_is_what_git_measured() -> None:
    """Not what the summary names, and a test that went away or only changed its mode was not written."""
    stopped = made(fact(e.MinionStopped, commit="c", changes=CHANGES))
    assert stopped is not None and stopped.files_created == ("new.py", "tests/test_new.py")
    assert stopped.files_modified == ("app.py", "tests/test_app.py", "tests/test_mode.py")
    assert stopped.files_removed == ("old.py", "tests/test_gone.py")
    assert stopped.tests_written == ("tests/test_app.py", "tests/test_new.py")
    assert in_numbers(stopped) == "2 files new, 3 changed, 2 removed, 2 with tests"


@pytest.mark.parametrize(
    ("ends", "status", "words"),
    [
        ([HANDED_IN, judged(Score.PASS)], Made.SUCCESS, "1 file changed"),
        ([HANDED_IN, judged(Score.NEEDS_REVISION)], Made.PARTIAL, "1 file changed"),
        ([HANDED_IN, judged(Score.FAIL)], Made.FAILED, "1 file changed"),
        ([HANDED_IN, judged(Score.PASS, Opinion.NO_VERDICT, silent=True)], Made.PARTIAL, "1 file changed"),
        (
            [HANDED_IN, judged(Score.NEEDS_REVISION), fact(e.SubtaskEscalated, why="3 attempts")],
            Made.PARTIAL,
            "1 file changed",
        ),
        (
            [fact(e.MinionFailed, ending=Ending.TURNS, problem="too long", changes=CHANGES[:1])],
            Made.PARTIAL,
            "1 file changed",
        ),
        ([fact(e.MinionFailed, ending=Ending.TURNS, problem="too long")], Made.FAILED, "no file"),
        ([fact(e.MinionStopped, commit="c")], Made.FAILED, "no file"),
    ],
)
def test_how_far_it_came(ends: list[Event], status: Made, words: str) -> None:
    found = last(*ends)
    assert found.implementation is not None
    assert (found.implementation.status, in_numbers(found.implementation)) == (status, words)
    assert found.implementation.blockers == found.blockers


def test_a_run_that_waits_has_made_nothing_yet() -> None:
    """Nor has a reviewer."""
    asked = fact(e.MinionAsked, commit="c", question="Which hash?")
    assert made(fact(e.MinionStopped, commit="c", changes=CHANGES), asked) is None
    assert outcomes([HANDED_IN, judged(Score.PASS, Opinion.APPROVED)])[1].implementation is None
