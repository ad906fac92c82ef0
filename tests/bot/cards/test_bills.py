"""What a task costs and how long it takes, in words."""

from dataclasses import replace
from datetime import timedelta

import pytest

from agents.domain.planning.facts import PlanState
from bot.cards.scene import Bill, bill_rows, duration_in_words
from tests.llm.rig import task


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (-5, "0 s"),
        (29, "29 s"),
        (60, "1 min"),
        (754, "13 min"),
        (3_600, "1 h"),
        (7_380, "2 h 3 min"),
        (190_000, "2 days 4 h"),
    ],
)
def test_times_are_real_and_short(seconds: float, said: str) -> None:
    assert duration_in_words(timedelta(seconds=seconds)) == said


@pytest.mark.parametrize(
    ("bill", "raised", "said"),
    [
        (Bill(), None, "nothing so far"),
        (Bill(spent=0.404), None, "$0.40"),
        (Bill(budget=2.0), None, "$0.00 of a budget of $2.00"),
        (Bill(spent=1.5, budget=2.0), 4.0, "$1.50 of a budget of $4.00"),
    ],
)
def test_cost_is_said_beside_its_budget(bill: Bill, raised: float | None, said: str) -> None:
    assert bill_rows(replace(task(), money=replace(task().money, budget=raised)), bill)[0].value == said


def test_a_rehearsal_costs_nothing() -> None:
    assert (
        bill_rows(replace(task(), plan=PlanState(rehearsal=True)), Bill(spent=1.0))[0].value
        == "nothing, as this is a rehearsal"
    )
