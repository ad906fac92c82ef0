"""`adaptive:` in overlord.yaml: read as written, and what cannot be is named."""

import pytest

from agents.domain.metrics.adaptive import Adaptive
from agents.domain.workflow.roles import EngineName
from tests.bot.config.test_settings import Desk, desk

__all__ = ["desk"]


def test_engines_may_be_chosen_by_success_where_that_is_switched_on(desk: Desk) -> None:
    assert desk.load().adaptive == Adaptive()
    desk.write("adaptive: {enabled: true, min_samples_before_adapt: 20, locked_assignments: {planner: claude}}\n")
    locked = {"planner": EngineName.CLAUDE}
    assert desk.load().adaptive == Adaptive(enabled=True, min_samples_before_adapt=20, locked_assignments=locked)


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ("{locked_assignments: {planer: claude}}", "there is no role `planer`"),
        ("{locked_assignments: {planner: cloud}}", "adaptive.locked_assignments.planner"),
        ("{max_deviation_from_default: 2}", "adaptive.max_deviation_from_default"),
        ("{enabled: 1}", "adaptive.enabled"),
        ("{enable: true}", "Did you mean `enabled`?"),
    ],
)
def test_what_cannot_be_adaptive_is_named(desk: Desk, written: str, told: str) -> None:
    desk.write(f"adaptive: {written}\n")
    [problem] = desk.problems()
    assert told in problem
