"""What came of each attempt, in one row and in plain words."""

from agents.domain.ids import TaskId
from agents.domain.work.outcome import Implementation, Made, ReviewStatus, Status, WorkerOutcome
from bot.cards.work.attempts import AttemptRow, attempts
from store.streams.projections import EvaluationResult
from tests.store.room import MORNING

MADE = Implementation(status=Made.PARTIAL, files_created=("a.py",), tests_written=("test_a.py",))


def ended(run: str, worker: str = "minion", **more: object) -> WorkerOutcome:
    shown = {"status": Status.SUCCESS, "action_taken": "I did it all", **more}
    return WorkerOutcome(run=run, worker=worker, **shown)  # type: ignore[arg-type]


def judged(attempt: int, overall: str, tests: str = "pass", lint: str = "", review: str = "") -> EvaluationResult:
    return EvaluationResult(
        task=TaskId("T-1"), subtask=2, pr_number=0, repo="shop", test_score=tests, lint_score=lint, review_score=review,
        overall=overall, feedback="", revision_number=attempt - 1, timestamp=MORNING,
    )  # fmt: skip


def test_what_was_measured_is_said_and_not_what_the_minion_claims() -> None:
    critic = ended("T-1.2-1", "critic", review_status=ReviewStatus.CHANGES_REQUESTED)
    first = ended("T-1.2-1", status=Status.NEEDS_REVISION, next_step="Another attempt", implementation=MADE)
    row, second = attempts((first, critic, ended("T-1.2-2")), (judged(1, "needs_revision"), judged(2, "pass")))
    assert row == AttemptRow(
        name="T-1.2, attempt 1",
        ended="needs another try",
        checks=("tests: passed", "lint: not run", "critic asks for changes"),
        changed="1 file new, 1 with tests",
        next="",
    ), "a later attempt went on from it, so nothing is next"
    assert (second.ended, second.checks) == ("passed", ("tests: passed", "lint: not run", "review: not run"))


def test_a_reviewer_without_a_verdict_is_said_and_so_is_who_decides() -> None:
    silent = ended("T-1.2-1", "security", status=Status.BLOCKED, review_status=None)
    (row,) = attempts(
        (ended("T-1.2-1", status=Status.BLOCKED, next_step="A person decides"), silent), (judged(1, "pass"),)
    )
    assert (row.ended, row.checks[-1], row.next) == ("passed", "security gave no verdict", "A person decides")


def test_attempts_at_one_subtask_stand_below_each_other() -> None:
    runs = ("T-1.1-1", "T-1.10-1", "T-1.2-1", "T-1.1-2")
    names = [row.name for row in attempts(tuple(map(ended, runs)), ())]
    assert names == ["T-1.1, attempt 1", "T-1.1, attempt 2", "T-1.2, attempt 1", "T-1.10, attempt 1"]


def test_a_minion_that_was_not_judged_says_what_it_did_last() -> None:
    asked = ended("T-1.2-1", status=Status.BLOCKED, action_taken="Asked a question and waits", next_step="You answer")
    assert attempts((asked,), ()) == [
        AttemptRow(name="T-1.2, attempt 1", ended="Asked a question and waits", next="You answer")
    ]


def test_what_a_person_finished_says_so_and_a_judgement_alone_is_a_row_too() -> None:
    (by_hand, alone) = attempts((ended("T-1.1-1", "person", action_taken=""),), (judged(1, "fail", tests="fail"),))
    assert by_hand.ended == "not checked yet, finished by hand"
    assert (alone.name, alone.ended, alone.checks[0]) == ("T-1.2, attempt 1", "failed", "tests: failed")
