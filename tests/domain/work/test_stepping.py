"""What a step came to, from what it found alone."""

from dataclasses import replace

import pytest

from agents.domain.checks.evaluation import Checked, CodeReview, Evaluation, GateRun, Opinion, RiskLevel, Score
from agents.domain.checks.risk import Risk
from agents.domain.work.stepping import StepResult
from agents.domain.workflow.steps import Predicate
from agents.domain.workflow.workflow import DEFAULT

REVIEW = DEFAULT.step("review")
RULES = DEFAULT.step("rules")
GATE = DEFAULT.step("test")
JUDGED = Evaluation(subtask=1, attempt=1, commit="c", tree="t", overall=Score.PASS, gates=(), reviews=(), feedback=())
NO_RISK = Risk(level=RiskLevel.LOW, why=())


def review(opinion: Opinion, *concerns: str) -> CodeReview:
    return CodeReview(reviewer="critic", opinion=opinion, security_concerns=concerns)


@pytest.mark.parametrize(
    ("opinion", "concerns", "asks_for_security", "score"),
    [
        (Opinion.APPROVED, (), True, Score.PASS),
        (Opinion.APPROVED, ("a key",), True, Score.NEEDS_REVISION),
        (Opinion.APPROVED, ("a key",), False, Score.PASS),
        (Opinion.REJECTED, ("a key",), True, Score.FAIL),
        (Opinion.CHANGES_REQUESTED, (), False, Score.NEEDS_REVISION),
        (Opinion.NO_VERDICT, (), True, Score.PASS),
        (Opinion.NO_VERDICT, ("a key",), True, Score.NEEDS_REVISION),
    ],
)
def test_a_concern_about_security_never_makes_a_verdict_milder(
    opinion: Opinion, concerns: tuple[str, ...], asks_for_security: bool, score: Score
) -> None:
    step = replace(REVIEW, gate=Predicate.SECURITY_PASSED if asks_for_security else Predicate.ALL_APPROVED)
    checked = Checked(reviews=(review(opinion, *concerns),))
    assert StepResult(step=step, checked=checked, evaluation=JUDGED, risk=NO_RISK).score is score


def test_rules_that_said_nothing_let_nothing_pass_and_a_gate_that_is_not_there_is_no_obstacle() -> None:
    silent = Checked()
    assert StepResult(step=GATE, checked=silent, evaluation=JUDGED, risk=NO_RISK).score is Score.PASS
    assert StepResult(step=RULES, checked=silent, evaluation=JUDGED, risk=NO_RISK).score is not Score.PASS
    red = Checked(gates=(GateRun(name="tests", score=Score.NEEDS_REVISION, why="1 failed"),))
    assert StepResult(step=GATE, checked=red, evaluation=JUDGED, risk=NO_RISK).score is Score.NEEDS_REVISION
