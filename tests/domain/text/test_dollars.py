"""Amounts of money in words: what is small is not said to be nothing."""

import pytest
from hypothesis import given, strategies as st

from agents.domain.text.dollars import dollars


@pytest.mark.parametrize(
    ("amount", "said"),
    [
        (0, "$0.00"),
        (0.00164, "$0.0016"),
        (0.001, "$0.001"),
        (0.02, "$0.02"),
        (0.035, "$0.035"),
        (0.0999, "$0.10"),
        (0.1, "$0.10"),
        (1.005, "$1.00"),
        (20, "$20.00"),
    ],
)
def test_it_is_said_with_as_many_digits_as_it_needs(amount: float, said: str) -> None:
    assert dollars(amount) == said


@given(st.floats(1e-6, 1e6))
def test_what_is_said_is_near_what_it_is(amount: float) -> None:
    assert float(dollars(amount)[1:]) == pytest.approx(amount, rel=0.051)
