"""What may be spent: fine, worth a word, or stop."""

from datetime import UTC, datetime

import pytest

from agents.domain.ids import PersonId, TaskId
from agents.domain.models.money import Budget, BudgetRaised, MoneyState, Spending, fold, strictest


@pytest.mark.parametrize(
    ("spent", "reserved", "next_call", "wanted"),
    [
        (0, 0, 0, Spending.FINE),
        (0, 0, 7.9, Spending.FINE),
        (4, 3, 1, Spending.WARN),
        (4, 3, 3, Spending.WARN),
        (4, 3, 3.1, Spending.STOP),
        (10, 0, 0, Spending.WARN),
        (10, 0, 0.1, Spending.STOP),
    ],
)
def test_how_a_budget_stands(spent: float, reserved: float, next_call: float, wanted: Spending) -> None:
    assert Budget(name="task T-1", limit=10, spent=spent, reserved=reserved).after(next_call) is wanted


def test_without_a_limit_everything_is_fine() -> None:
    assert Budget(name="day", limit=None, spent=1e9).after(1e9) is Spending.FINE


def test_the_worst_off_is_named() -> None:
    fine, warn, stop = (Budget(name=name, limit=10, spent=spent) for name, spent in (("a", 1), ("b", 8), ("c", 10)))
    assert strictest((fine, warn, stop), 1) == (Spending.STOP, stop)
    assert strictest((fine, warn), 1) == (Spending.WARN, warn)
    assert strictest((fine,), 1) == (Spending.FINE, None)
    assert strictest((), 1) == (Spending.FINE, None)


@pytest.mark.parametrize(
    ("spent", "next_call", "word"), [(0, 9, False), (1, 1, False), (7, 1, True), (10, 0, True), (7, 9, True)]
)
def test_when_it_is_worth_a_word(spent: float, next_call: float, word: bool) -> None:
    assert Budget(name="day", limit=10, spent=spent).worth_a_word(next_call) is word


def test_a_budget_that_is_raised_again_counts_once() -> None:
    def raised(limit: float, budget: str = "") -> BudgetRaised:
        return BudgetRaised(
            task=TaskId("T-1"), at=datetime(2026, 1, 2, tzinfo=UTC), by=PersonId("ana"), limit=limit, budget=budget
        )

    money = MoneyState()
    for fact in (raised(5.0), raised(7.0, "day"), raised(8.0, "channel"), raised(9.0, "day"), raised(6.0)):
        money = fold(money, fact)
    assert (money.budget, money.raised) == (6.0, (("channel", 8.0), ("day", 9.0)))
