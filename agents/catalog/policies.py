"""The numbers people may change, and which of the numbers do not fit together."""

import math
from collections.abc import Iterator

from agents.catalog.validation import Model, Odd
from agents.catalog.yaml import Document, read_yaml
from agents.domain.limits import Limits
from agents.domain.project.retention import Retention
from manifests import packaged

MARGIN = 10  # seconds a provider may still need to show what it accepted

LIMITS: Model[Limits] = Model(Limits)


def odd_limits(limits: Limits) -> Iterator[Odd]:
    """Numbers that do not fit each other."""
    least = limits.provider_timeout + MARGIN
    if limits.send_lease <= least:
        what = f"with {limits.send_lease:g} a second process could send a post while the first waits for its answer"
        yield ("limits", "send_lease"), what, f"Write more than provider_timeout + {MARGIN}, which is {least:g}."
    if limits.settle < least:
        what = f"with {limits.settle:g} a post could appear after it was given up, and come twice"
        yield ("limits", "settle"), what, f"Write at least provider_timeout + {MARGIN}, which is {least:g}."
    if limits.job_renewal > limits.job_lease / 2:
        what = f"with {limits.job_renewal:g} one late renewal would lose the job to another process"
        yield ("limits", "job_renewal"), what, f"Write at most half of job_lease, which is {limits.job_lease / 2:g}."


def odd_retention(retention: Retention, limits: Limits) -> Iterator[Odd]:
    """What was delivered is how something that is read again is known."""
    least = math.floor(limits.catch_up / 86_400) + 1
    if retention.deliveries is not None and retention.deliveries < least:
        what = f"with {retention.deliveries} what was said while I was away could be heard twice"
        yield ("retention", "deliveries"), what, f"Write at least {least}: more days than limits.catch_up reads back."


def packaged_limits() -> Document:
    return read_yaml(packaged("policies", "limits.yaml"))
