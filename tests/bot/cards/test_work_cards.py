"""What a judgement looks like: each thing is said once, in a row where it fits and below where it does not."""

from agents.domain.checks.evaluation import NOT_RUN, CodeReview, Evaluation, GateRun, Opinion, Rung, Score, sum_up
from agents.domain.planning.decomposition import Decomposition, Subtask
from agents.domain.planning.facts import PlanState
from agents.domain.planning.work_kind import WorkKind
from agents.domain.work.work import Work
from bot.cards.progress import evaluation_card
from bot.cards.work.rungs import LABEL, RUNGS
from bot.messages import Card
from tests.llm.rig import task

BOTH = "tests.test_cli.test_a, tests.test_cli.test_b"
PRINTED = "FAILED tests/test_cli.py::test_a - assert 1 == 2\nFAILED tests/test_cli.py::test_b - assert 0"
FAILED = GateRun(
    name="tests",
    score=Score.NEEDS_REVISION,
    why=f"2 of 18 failed: {BOTH}",
    command="pytest -q",
    exit_code=1,
    seconds=0.8,
    output=PRINTED,
)


def card(*gates: GateRun, reviews: tuple[CodeReview, ...] = ()) -> Card:
    score, feedback = sum_up(gates, reviews)
    evaluation = Evaluation(
        subtask=1, attempt=1, commit="c" * 40, tree="t", overall=score, gates=gates, reviews=reviews, feedback=feedback
    )
    plan = Decomposition(
        goal="It works", subtasks=(Subtask(number=1, title="Do it", why="it is wanted", kind=WorkKind.FEATURE),)
    )
    return evaluation_card(
        task(plan=PlanState(draft=plan)), Work(number=1, attempt=2, evaluation=evaluation), evaluation
    )


def test_which_tests_failed_is_said_in_the_row_and_what_they_printed_below() -> None:
    made = card(FAILED)
    assert made.title == "Checks of T-1: T-1.1 was sent back after attempt 1"
    assert made.rows[0].value == f"2 of 18 failed: {BOTH} · exit 1 · 0.8 s · pytest -q"
    assert made.lines == (f"Tests said:\n{PRINTED}",)
    assert made.fallback.count(BOTH) == 1 and made.fallback.count("pytest -q") == 1


def test_what_its_row_says_in_full_is_not_said_again() -> None:
    where = "settings.py: outside what this subtask may write"
    broken = GateRun(name="scope", score=Score.FAIL, why=where, output=where)
    left_out = GateRun(name="tests", score=Score.NEEDS_REVISION, why=f"{NOT_RUN}: scope failed")
    made = card(broken, left_out)
    assert not made.lines and made.fallback.count(where) == 1
    assert [row.value for row in made.rows[:2]] == [where, "not run: scope failed"]


def test_several_paths_outside_the_scope_are_all_named() -> None:
    paths = "a.py: outside what this subtask may write\nb.py: outside what this subtask may write"
    why = "a.py: outside what this subtask may write and 1 more"
    assert card(GateRun(name="scope", score=Score.FAIL, why=why, output=paths)).lines == (f"Scope said:\n{paths}",)


def test_much_that_a_reviewer_asks_for_is_a_list() -> None:
    few = CodeReview(reviewer="critic", opinion=Opinion.CHANGES_REQUESTED, issues=("It has no test",))
    many = CodeReview(reviewer="custodiet", opinion=Opinion.REJECTED, issues=("x" * 200, "y" * 200))
    passed = GateRun(name="tests", score=Score.PASS, why="12 passed", command="pytest -q", exit_code=0)
    made = card(passed, reviews=(few, many))
    rows = {row.label: row.value for row in made.rows}
    assert rows["Critic"] == "asks for changes: It has no test"
    assert rows["Scope guard"] == "rejects it, for 2 reasons"
    assert made.lines == (f"Scope guard: {'x' * 200}", f"Scope guard: {'y' * 200}")


def test_by_which_means_tests_were_judged_is_said_in_one_row() -> None:
    tests = GateRun(name="tests", score=Score.PASS, why="3 passed", rungs=(Rung.BY_TEST, Rung.PLANTED))
    new = GateRun(name="new tests", score=Score.PASS, why="1 of 1", rungs=(Rung.NEW_TESTS, Rung.NOT_COVERED))
    said = [row.value for row in card(tests, new).rows if row.label == LABEL]
    assert said == [
        "results test by test · planted tests in the runner · new tests on the old code"
        " · coverage of the changed lines not measured"
    ]
    by_code = GateRun(name="tests", score=Score.PASS, why="passed", rungs=(Rung.EXIT_CODE,))
    assert [row.value for row in card(by_code).rows if row.label == LABEL] == ["exit code only"]
    assert all(row.label != LABEL for row in card(GateRun(name="scope", score=Score.PASS, why="fine")).rows)


def test_every_means_has_words() -> None:
    assert set(RUNGS) == set(Rung)
