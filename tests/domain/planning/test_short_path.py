"""Which plans take the short path: code alone decides it, and a person may ask for the full one."""

from dataclasses import replace

import pytest

from agents.domain.checks.evaluation import RiskLevel
from agents.domain.planning.decomposition import Decomposition, Subtask, with_closing
from agents.domain.planning.plan_reading import takes_short_path
from agents.domain.planning.work_kind import WorkKind
from agents.domain.workflow.workflow import DEFAULT

FIX = Subtask(number=1, title="Fix the typo", why="it is wrong", kind=WorkKind.FIX, files=("src/a.py",), test="pytest")


def plan(*subtasks: Subtask) -> Decomposition:
    return with_closing(Decomposition(goal="It is right", subtasks=subtasks))


@pytest.mark.parametrize(
    ("made", "risk", "said", "short"),
    [
        (plan(FIX), RiskLevel.LOW, "fix the typo", True),
        (plan(replace(FIX, files=("src/a.py", "tests/test_a.py"))), RiskLevel.LOW, "fix it", True),
        (plan(replace(FIX, files=("a.py", "b.py", "c.py"))), RiskLevel.LOW, "fix it", False),
        (plan(replace(FIX, files=())), RiskLevel.LOW, "fix it", False),
        (plan(replace(FIX, files=("src/",))), RiskLevel.LOW, "fix it", False),
        (plan(replace(FIX, changes_tests=True)), RiskLevel.LOW, "fix it", False),
        (plan(replace(FIX, kind=WorkKind.SPIKE)), RiskLevel.LOW, "find out", False),
        (plan(FIX, replace(FIX, number=2, files=("b.py",))), RiskLevel.LOW, "fix it", False),
        (plan(FIX), RiskLevel.MEDIUM, "fix it", False),
        (plan(FIX), None, "fix it", False),
        (plan(FIX), RiskLevel.LOW, "fix the typo, with a full review please", False),
        (plan(FIX), RiskLevel.LOW, "Review it in full.", False),
        (plan(FIX), RiskLevel.LOW, "the path is carefully built: no short cuts here", False),
        (plan(FIX), RiskLevel.LOW, "show the full name", True),
    ],
)
def test_one_subtask_few_files_low_risk_and_nobody_who_wants_more(
    made: Decomposition, risk: RiskLevel | None, said: str, short: bool
) -> None:
    assert takes_short_path(made, DEFAULT, risk, [said]) is short


def test_a_workflow_with_more_readers_keeps_them() -> None:
    steps = tuple(replace(step, parallel=2) if step.name == DEFAULT.review.name else step for step in DEFAULT.steps)
    assert not takes_short_path(plan(FIX), replace(DEFAULT, steps=steps), RiskLevel.LOW, [])
