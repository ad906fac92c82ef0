"""What a used-up budget may be raised to: always more than it was, in whole cents, and enough for the next call."""

from hypothesis import given, strategies as st

from agents.domain.decisions.kinds.task.budget import raises

DOLLARS = st.floats(0.0001, 10_000)


def limits(limit: float, needed: float = 0.0) -> list[float]:
    *offered, cancel = raises(limit, needed)
    assert cancel.value == "cancel"
    return [float(option.value) for option in offered]


def test_they_are_multiples_of_what_it_was() -> None:
    assert limits(0.2) == [0.3, 0.4, 0.8] and limits(5, 5.5) == [7.5, 10, 20]
    assert limits(0.001, 0.035) == [0.04, 0.05, 0.1] and limits(0.001) == [0.01]


@given(DOLLARS, DOLLARS)
def test_each_lets_the_work_go_on(limit: float, needed: float) -> None:
    offered = limits(limit, needed)
    assert offered == sorted(set(offered)) and offered[0] > limit and offered[0] >= needed * 0.9999
