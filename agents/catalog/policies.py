"""The numbers people may change, how a project's work is checked, and which of the numbers do not fit together."""

import math
from collections.abc import Iterator
from typing import Annotated

from pydantic import AfterValidator

from agents.catalog.documents import Document, read_packaged
from agents.catalog.validation import Model, Odd
from agents.domain.checks.gates import GateCommands
from agents.domain.limits import Limits
from agents.domain.project.retention import Retention
from manifests import packaged

MARGIN = 10  # seconds a provider may still need to show what it accepted

LIMITS: Model[Limits] = Model(Limits)


def _refuse_twins(gates: GateCommands) -> GateCommands:
    names = [gate.name for gate in gates.extra]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise ValueError(f"two of its extra gates are named `{twice}`. Give one another name.")
    return gates


GATES: Model[GateCommands] = Model(Annotated[GateCommands, AfterValidator(_refuse_twins)])


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
    return read_packaged(packaged("policies", "limits.yaml"))
