"""What is done after a failure, in tables."""

from dataclasses import replace

import pytest
from hypothesis import given, strategies as st

from agents.domain.limits import Limits
from agents.domain.models.failure import (
    ACTIONS,
    FAILURES,
    FEEDBACK,
    POLICIES,
    WINDOW,
    Action,
    Again,
    Breaker,
    BreakerState,
    ErrorClass,
    Failure,
    Fault,
    failure_of_step,
    fault_of,
    next_try,
)

DEFAULT = POLICIES["default"]
E = ErrorClass


def failure(error: ErrorClass, retry_after: float | None = None) -> Failure:
    return Failure(error=error, message="it {broke}", retry_after=retry_after)


def test_every_class_has_an_action_and_what_can_be_mended_a_feedback() -> None:
    assert ACTIONS.keys() == set(ErrorClass)
    assert FEEDBACK.keys() == {error for error, action in ACTIONS.items() if action is Action.RETRY_WITH_FEEDBACK}


def test_what_is_fatal_comes_before_what_can_be_mended_and_that_before_what_passes() -> None:
    order = list(dict.fromkeys(ACTIONS.values()))
    assert order == [Action.ESCALATE, Action.RETRY_WITH_FEEDBACK, Action.RETRY_SAME, Action.RETRY_ONCE]


@pytest.mark.parametrize(
    ("error", "tries"),
    [(E.RESOURCE, 1), (E.NETWORK, 3), (E.PARSING, 3), (E.VALIDATION, 3), (E.LOGIC, 3), (E.CLI_ERROR, 2)],
)
def test_each_class_is_tried_as_often_as_its_action_says(error: ErrorClass, tries: int) -> None:
    made = 1
    while next_try(failure(error), made, DEFAULT, 0.5):
        made += 1
    assert made == tries


def test_feedback_names_the_fault_and_does_not_wait() -> None:
    again = next_try(failure(E.PARSING), 1, DEFAULT, 0.5)
    assert again is not None
    assert again.wait == 0
    assert "it {broke}" in again.feedback
    assert "exactly one JSON object" in again.feedback


def test_tries_of_what_cannot_be_read_are_counted_apart() -> None:
    quick = replace(POLICIES["conservative"], unread=3)
    late = replace(failure(E.NETWORK), late=True)
    assert next_try(failure(E.PARSING), 2, quick, 0.5) and not next_try(failure(E.PARSING), 3, quick, 0.5)
    assert not next_try(failure(E.NETWORK), 2, quick, 0.5)
    assert next_try(late, 1, POLICIES["aggressive"], 0.5) and not next_try(late, 2, POLICIES["aggressive"], 0.5)
    assert quick.under(Limits(step_retries=1)).unread == 2


def test_waits_grow_to_the_longest() -> None:
    waits = [POLICIES["aggressive"].wait(n, 0.5) for n in (1, 2, 3, 20)]
    assert waits == [1, 1.5, 2.25, 60]
    assert DEFAULT.wait(1, 0.0) == pytest.approx(1.8)
    assert DEFAULT.wait(1, 1.0) == pytest.approx(2.2)


@pytest.mark.parametrize(
    ("asked", "wait"), [(None, 2.0), (0.0, 2.0), (10.0, 10.0), (30.0, 30.0), (30.1, None), (86_400.0, None)]
)
def test_a_provider_is_waited_for_within_the_policy_only(asked: float | None, wait: float | None) -> None:
    again = next_try(failure(E.NETWORK, asked), 1, DEFAULT, 0.5)
    assert (again.wait if again else None) == wait


@pytest.mark.parametrize("error", [E.NETWORK, E.RESOURCE])
def test_where_another_can_be_asked_it_is_asked_at_once(error: ErrorClass) -> None:
    assert next_try(failure(error, 86_400), 1, DEFAULT, 0.5, elsewhere=True) == Again(elsewhere=True)
    assert next_try(failure(error), 3, DEFAULT, 0.5, elsewhere=True) is None, "the policy counts all of them"


def test_what_a_model_can_mend_stays_with_it() -> None:
    again = next_try(failure(E.VALIDATION), 1, DEFAULT, 0.5, elsewhere=True)
    assert again is not None
    assert not again.elsewhere


def test_the_limits_are_the_ceiling_of_every_policy() -> None:
    limits = Limits(step_retries=1, retry_longest=10)
    for policy in POLICIES.values():
        under = policy.under(limits)
        assert under.attempts == 2
        assert under.longest == 10
    assert DEFAULT.under(Limits()) == DEFAULT
    assert POLICIES["aggressive"].under(Limits()).attempts == 4


def opened(at: float = 0.0) -> Breaker:
    breaker = Breaker()
    for _ in range(FAILURES):
        breaker = breaker.after_failure(at)
    return breaker


def test_it_opens_at_the_fifth_failure_within_the_window() -> None:
    breaker = Breaker()
    for at in range(4):
        breaker = breaker.after_failure(float(at))
        assert breaker.state(float(at)) is BreakerState.CLOSED
    assert breaker.after_failure(4.0).state(4.0) is BreakerState.OPEN


def test_old_failures_are_forgotten() -> None:
    breaker = Breaker()
    for at in range(20):
        breaker = breaker.after_failure(at * WINDOW / 4)
        assert breaker.state(at * WINDOW / 4) is BreakerState.CLOSED


def test_a_success_forgets_them_too() -> None:
    breaker = Breaker()
    for at in range(4):
        breaker = breaker.after_failure(float(at))
    assert breaker.after_success() == Breaker()


def test_while_it_is_open_nobody_is_let_through() -> None:
    assert opened().admit(WINDOW - 1) is None


def test_after_the_window_one_probe_at_a_time_is_let_through() -> None:
    probing = opened().admit(WINDOW)
    assert probing is not None
    assert probing.admit(WINDOW + 1) is None
    assert probing.after_success().admit(WINDOW + 2) is not None
    assert probing.after_failure(WINDOW + 2).admit(WINDOW + 3) is None
    assert probing.after_release().admit(WINDOW + 3) is not None


def test_a_probe_that_was_lost_does_not_block_for_ever() -> None:
    probing = opened().admit(WINDOW)
    assert probing is not None
    assert probing.admit(2 * WINDOW) is not None


def test_it_opens_at_once_where_the_other_side_says_so() -> None:
    assert Breaker().after_failure(1.0, at_once=True).state(1.0) is BreakerState.OPEN


def test_a_clock_that_was_set_back_does_not_keep_it_open() -> None:
    assert opened(10_000.0).state(5.0) is BreakerState.PROBING


def test_failures_of_the_future_do_not_count() -> None:
    breaker = Breaker(failures=(10_000.0,) * 4)
    assert breaker.after_failure(5.0).state(5.0) is BreakerState.CLOSED


@given(st.lists(st.tuples(st.booleans(), st.floats(0, 1000)), max_size=60))
def test_it_always_closes_again(steps: list[tuple[bool, float]]) -> None:
    breaker, now = Breaker(), 0.0
    for good, wait in steps:
        now += wait
        breaker = breaker.after_success() if good else breaker.after_failure(now)
    after = now + WINDOW + 1  # a little more than the window: sums of floats are not exact
    admitted = breaker.admit(after)
    assert admitted is not None
    assert admitted.after_success().state(after) is BreakerState.CLOSED
    assert replace(breaker) == breaker


@pytest.mark.parametrize(
    ("failed", "fault"),
    [
        (replace(failure(E.PARSING), cut_off=True), Fault.CUT_OFF),
        (replace(failure(E.RESOURCE), overflow=True), Fault.TOO_LONG),
        (replace(failure(E.RESOURCE), overflow=True, cut_off=True), Fault.CUT_OFF),
        (failure(E.RESOURCE), Fault.SILENT),
        (failure(E.PARSING), Fault.UNREADABLE),
        (failure(E.LOGIC), Fault.REFUSED),
    ],
)
def test_what_was_wrong_with_an_answer_in_one_word(failed: Failure, fault: Fault) -> None:
    assert fault_of(failed) is fault


def test_what_keeps_a_step_from_a_result_is_told_in_its_own_words_or_by_its_name() -> None:
    assert failure_of_step(OSError("the disk is full")).message == "the disk is full"
    assert failure_of_step(OSError()).message == "OSError"
