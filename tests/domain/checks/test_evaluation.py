"""What gates and reviewers come to, and what another attempt is told."""

from itertools import product

import pytest
from pydantic import TypeAdapter, ValidationError

from agents.domain.checks.evaluation import (
    COMMAND_MOST,
    CodeReview,
    Evaluation,
    ExtraGate,
    GateRun,
    Opinion,
    Score,
    join_reviews,
    overall,
    sum_up,
)
from agents.domain.checks.risk import doubts_of
from bot.cards.reasons import put_all

P, R, F = Score.PASS, Score.NEEDS_REVISION, Score.FAIL


def gate(score: Score, name: str = "tests", why: str = "because", command: str = "", output: str = "") -> GateRun:
    return GateRun(name=name, score=score, why=why, command=command, output=output)


def review(opinion: Opinion, issues: tuple[str, ...] = (), security_concerns: tuple[str, ...] = ()) -> CodeReview:
    return CodeReview(reviewer="ada", opinion=opinion, issues=issues, security_concerns=security_concerns)


@pytest.mark.parametrize("scores", list(product(Score, repeat=3)))
def test_any_fail_else_any_revise_else_pass(scores: tuple[Score, ...]) -> None:
    wanted = F if F in scores else R if R in scores else P
    assert overall(scores) is wanted
    assert sum_up([gate(score) for score in scores])[0] is wanted


def test_without_gates_nothing_passes_whatever_reviewers_say() -> None:
    assert sum_up([], [review(Opinion.APPROVED)]) == (F, ())


@pytest.mark.parametrize(
    ("opinion", "concerns", "wanted"),
    [
        (Opinion.APPROVED, (), P),
        (Opinion.CHANGES_REQUESTED, (), R),
        (Opinion.REJECTED, (), R),
        (Opinion.REJECTED, ("it opens a shell",), F),
        (Opinion.NO_VERDICT, (), P),  # counts neither way: a person is asked
    ],
)
def test_a_reviewer_counts_beside_the_gates(opinion: Opinion, concerns: tuple[str, ...], wanted: Score) -> None:
    assert sum_up([gate(P)], [review(opinion, security_concerns=concerns)])[0] is wanted


def test_the_feedback_has_the_evidence_and_nothing_of_what_passed_or_was_left_out() -> None:
    gates = [
        gate(P, name="scope", why="all within shop/**"),
        gate(R, why="1 of 3 failed", command="pytest -q", output="FAILED tests/test_cart.py::test_total"),
        gate(R, name="lint", why="not run: tests failed"),
    ]
    reviews = [
        review(Opinion.APPROVED, issues=("a nicer name",)),
        review(Opinion.CHANGES_REQUESTED, issues=("no test for an empty cart",)),
        review(Opinion.REJECTED, security_concerns=("it trusts the price the browser sends",)),
    ]
    assert sum_up(gates, reviews)[1] == (
        "tests (`pytest -q`): 1 of 3 failed\nFAILED tests/test_cart.py::test_total",
        "ada: no test for an empty cart",
        "ada, security: it trusts the price the browser sends",
    )


def test_a_file_called_not_run_does_not_make_its_gate_one_that_was_left_out() -> None:
    found = gate(F, "forbidden-files", "not run.sh: a link that leaves the project")
    assert found.ran and sum_up([found])[1] == ("forbidden-files: not run.sh: a link that leaves the project",)
    assert not gate(R, "lint", "not run: tests failed").ran


A, C, N, X = Opinion.APPROVED, Opinion.CHANGES_REQUESTED, Opinion.NO_VERDICT, Opinion.REJECTED


@pytest.mark.parametrize(
    ("parts", "unread", "wanted"),
    [
        ((A, A), (), A),
        ((A, C, A), (), C),
        ((C, X), (), X),
        ((A, N), (), N),
        ((N, C), (), C),
        ((A,), ("16,000 changed lines",), N),
        ((C,), ("16,000 changed lines",), C),
        ((X, A), ("x.png (binary)",), X),
    ],
)
def test_of_work_read_in_parts_the_worst_verdict_counts(
    parts: tuple[Opinion, ...], unread: tuple[str, ...], wanted: Opinion
) -> None:
    said = join_reviews([review(each, issues=(f"{at}",)) for at, each in enumerate(parts)], unread)
    assert said.opinion is wanted and said.unread == unread and said.parts == len(parts)
    assert said.issues == tuple(str(at) for at in range(len(parts)))
    assert bool(said.why_none) is (wanted is N and bool(unread))


@pytest.mark.parametrize(
    ("given", "why"),
    [
        (review(A), ()),
        (review(N), ("no reviewer gave a verdict",)),
        (join_reviews([review(A)], ("x.png (binary)",)), ("not all of it was read",)),
        (review(A, security_concerns=("it trusts the price",)), ("a reviewer has security concerns",)),
    ],
)
def test_a_person_looks_where_not_all_was_read_or_somebody_worries(given: CodeReview, why: tuple[str, ...]) -> None:
    silent = given.score is None
    made = Evaluation(subtask=1, attempt=1, commit="c", tree="t", overall=P, reviews=(given,), silent=silent)
    assert put_all(doubts_of(made)) == why


@pytest.mark.parametrize(
    ("written", "right"),
    [
        ("make test", True),
        ("x" * COMMAND_MOST, True),
        ("x" * (COMMAND_MOST + 1), False),
        (" ", False),
        ("one\ntwo", False),
    ],
)
def test_a_gates_command_is_one_line_of_some_length(written: str, right: bool) -> None:
    said = {"name": "types", "command": written}
    if right:
        assert TypeAdapter(ExtraGate).validate_python(said) == ExtraGate(name="types", command=written)
        return
    with pytest.raises(ValidationError, match="it is no command"):
        TypeAdapter(ExtraGate).validate_python(said)


@pytest.mark.parametrize(
    ("name", "why"), [("tests", "there already"), ("Web Shop", "cannot be used"), ("x" * 61, "name")]
)
def test_a_gate_has_a_name_of_its_own(name: str, why: str) -> None:
    with pytest.raises(ValidationError, match=why):
        TypeAdapter(ExtraGate).validate_python({"name": name, "command": "true"})
    assert TypeAdapter(ExtraGate).validate_python({"name": "x" * 60, "command": "true"}).name == "x" * 60
