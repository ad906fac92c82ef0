"""Retry policies as YAML: manifests/policies/retries.yaml, and what overlord.yaml changes in it or adds to it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

from pydantic import AfterValidator, Field

from agents.catalog.validation import Model, Named, Title, written_as
from agents.domain.models.failure import MENDABLE, ErrorClass, RetryPolicy
from agents.domain.text.sanitize import Between


def _mendable(written: ErrorClass) -> ErrorClass:
    if written not in MENDABLE:
        raise ValueError("what ran out is not fixed by trying again. Remove it: a person is asked at once.")
    return written


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenPolicy:
    """What is not said of a new policy is as in `default`."""

    name: Title = ""
    max_attempts: Annotated[int, Between(1, 11)] = 3
    initial_delay_seconds: Annotated[float, Between(0, 600)] = 2
    backoff_multiplier: Annotated[float, Between(1, 10)] = 2.0
    max_delay_seconds: Annotated[float, Between(0, 600)] = 30
    jitter: Annotated[float, Between(0, 1)] = 0.1
    retry: Annotated[tuple[Annotated[ErrorClass, AfterValidator(_mendable)], ...], Field(max_length=10)] = (
        *sorted(MENDABLE),
    )

    def policy(self) -> RetryPolicy:
        return RetryPolicy(
            attempts=self.max_attempts,
            base=self.initial_delay_seconds,
            factor=self.backoff_multiplier,
            longest=self.max_delay_seconds,
            jitter=self.jitter,
            retried=frozenset(self.retry),
        )


RetryPolicies = Named[Annotated[RetryPolicy, written_as(WrittenPolicy, WrittenPolicy.policy)]]
RETRIES: Model[Mapping[str, RetryPolicy]] = Model(RetryPolicies)
