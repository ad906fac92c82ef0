"""What steps that ran side by side came to."""

from typing import TypeVar

Outcome = TypeVar("Outcome")


def got(outcome: Outcome | BaseException) -> Outcome:
    """For `gather(…, return_exceptions=True)`: every step is waited for, as all of them are paid; then one may fail."""
    if isinstance(outcome, BaseException):
        raise outcome
    return outcome
