"""A breaker opens after five failures in five minutes, lets one probe through, and closes again."""

from dataclasses import replace

from hypothesis import given, strategies as st

from agents.domain.models.breaker import FAILURES, WINDOW, Breaker, BreakerState


def opened(at: float = 0.0) -> Breaker:
    breaker = Breaker()
    for _ in range(FAILURES):
        breaker = breaker.failed(at)
    return breaker


def test_it_opens_at_the_fifth_failure_within_the_window() -> None:
    breaker = Breaker()
    for at in range(4):
        breaker = breaker.failed(float(at))
        assert breaker.state(float(at)) is BreakerState.CLOSED
    assert breaker.failed(4.0).state(4.0) is BreakerState.OPEN


def test_old_failures_are_forgotten() -> None:
    breaker = Breaker()
    for at in range(20):
        breaker = breaker.failed(at * WINDOW / 4)
        assert breaker.state(at * WINDOW / 4) is BreakerState.CLOSED


def test_a_success_forgets_them_too() -> None:
    breaker = Breaker()
    for at in range(4):
        breaker = breaker.failed(float(at))
    assert breaker.succeeded() == Breaker()


def test_while_it_is_open_nobody_is_let_through() -> None:
    assert opened().admit(WINDOW - 1) is None


def test_after_the_window_one_probe_at_a_time_is_let_through() -> None:
    probing = opened().admit(WINDOW)
    assert probing is not None
    assert probing.admit(WINDOW + 1) is None
    assert probing.succeeded().admit(WINDOW + 2) is not None
    assert probing.failed(WINDOW + 2).admit(WINDOW + 3) is None
    assert probing.released().admit(WINDOW + 3) is not None


def test_a_probe_that_was_lost_does_not_block_for_ever() -> None:
    probing = opened().admit(WINDOW)
    assert probing is not None
    assert probing.admit(2 * WINDOW) is not None


def test_it_opens_at_once_where_the_other_side_says_so() -> None:
    assert Breaker().failed(1.0, at_once=True).state(1.0) is BreakerState.OPEN


def test_a_clock_that_was_set_back_does_not_keep_it_open() -> None:
    assert opened(10_000.0).state(5.0) is BreakerState.PROBING


def test_failures_of_the_future_do_not_count() -> None:
    breaker = Breaker(failures=(10_000.0,) * 4)
    assert breaker.failed(5.0).state(5.0) is BreakerState.CLOSED


@given(st.lists(st.tuples(st.booleans(), st.floats(0, 1000)), max_size=60))
def test_it_always_closes_again(steps: list[tuple[bool, float]]) -> None:
    breaker, now = Breaker(), 0.0
    for good, wait in steps:
        now += wait
        breaker = breaker.succeeded() if good else breaker.failed(now)
    after = now + WINDOW + 1  # a little more than the window: sums of floats are not exact
    admitted = breaker.admit(after)
    assert admitted is not None
    assert admitted.succeeded().state(after) is BreakerState.CLOSED
    assert replace(breaker) == breaker
