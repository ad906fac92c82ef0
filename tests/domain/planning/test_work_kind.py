"""What a plan may take, from what subtasks took before."""

import pytest

from agents.domain.planning.work_kind import FEWEST, Expected, SubtaskSize, Took, expect, size_of


def past(count: int) -> list[Took]:
    """From the dearest to the cheapest, so that nobody relies on their order."""
    return [Took(cost=number / 10, seconds=number * 60.04) for number in range(count, 0, -1)]


def test_nothing_is_expected_where_too_little_was_done() -> None:
    assert expect(past(FEWEST - 1), 3) is None
    assert expect(past(FEWEST), 3) is not None


def test_half_took_no_more_than_the_usual_and_nine_in_ten_no_more_than_the_most() -> None:
    usual, most = Took(cost=1.0, seconds=600.4), Took(cost=1.8, seconds=1080.7)
    assert expect(past(10), 2) == Expected(usual=usual, most=most, of=10)
    assert expect(past(5), 1) == Expected(usual=Took(cost=0.3, seconds=180.1), most=Took(cost=0.5, seconds=300.2), of=5)


@pytest.mark.parametrize(
    ("hours", "size"), [(0.2, "small"), (1, "small"), (1.1, "medium"), (2, "medium"), (2.5, "large"), (99, "large")]
)
def test_a_size_follows_from_the_hours(hours: float, size: str) -> None:
    assert size_of(hours) is SubtaskSize(size)
