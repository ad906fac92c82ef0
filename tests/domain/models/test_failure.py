"""What is done after a failure, in tables."""

import pytest

from agents.domain.limits import Limits
from agents.domain.models.failure import (
    ACTIONS,
    FEEDBACK,
    POLICIES,
    Action,
    Again,
    ErrorClass,
    Failure,
    next_try,
)

DEFAULT = POLICIES["default"]
E = ErrorClass


def failure(error: ErrorClass, retry_after: float | None = None) -> Failure:
    return Failure(error=error, message="it {broke}", retry_after=retry_after)


def test_every_class_has_an_action_and_what_can_be_mended_a_feedback() -> None:
    assert ACTIONS.keys() == set(ErrorClass)
    assert FEEDBACK.keys() == {error for error, action in ACTIONS.items() if action is Action.RETRY_WITH_FEEDBACK}


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
    assert '{"status": "…"}' in again.feedback


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
