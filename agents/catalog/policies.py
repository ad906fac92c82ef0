"""Policies people may change: the numbers, who is in which group, the projects, and what a channel sets."""

import math
import re
from collections.abc import Iterator
from typing import Any

from agents.catalog.documents import Document, read_packaged
from agents.catalog.reading import (
    Odd,
    Read,
    Shape,
    checked,
    items,
    number,
    one_of,
    text,
    whole,
)
from agents.domain.checks.gates import GATE_NAMES, ExtraGate, GateCommands, OnFail
from agents.domain.limits import Limits
from agents.domain.project.retention import Retention
from manifests import packaged

COMMAND_MOST = 2_000
MARGIN = 10  # seconds a provider may still need to show what it accepted

COUNT = whole(1, 10_000)

_SLUG = r"[a-z0-9][a-z0-9-]{0,59}"


def slug(written: str) -> str:
    if not re.fullmatch(_SLUG, written):
        raise ValueError(
            f"`{written}` does not do as a name. Use small letters, digits and dashes, such as `web-shop`."
        )
    return written


def _gate_name(written: str) -> str:
    if slug(written) in GATE_NAMES:
        raise ValueError(f"`{written}` is a gate that is there already. Choose another name.")
    return written


def _command(written: str) -> str:
    if not written.strip() or not written.isprintable() or len(written) > COMMAND_MOST:
        raise ValueError(f"it is no command. Write one line of at most {COMMAND_MOST} characters, for the shell.")
    return written


def seconds(least: float = 0, most: float = 7 * 86_400) -> Read[float]:
    return number(least, most)


# Every number must be there: one that is missing would be one that nobody chose.
_LIMITS: dict[str, Read[object]] = {
    "provider_timeout": seconds(1, 120),
    "settle": seconds(1, 600),
    "send_lease": seconds(1, 3600),
    "job_lease": seconds(1, 3600),
    "job_renewal": seconds(0.1, 1800),
    "job_recoveries": whole(1, 100),
    "question_default": seconds(1),
    "medium_gate": seconds(1),
    "confirm": seconds(1),
    "reminder": seconds(1),
    "status_edits_apart": seconds(0, 60),
    "quota_window": seconds(1, 86_400),
    "quota_per_person": COUNT,
    "quota_per_channel": COUNT,
    "link_code": seconds(30, 86_400),
    "door_connections": whole(4, 10_000),
    "door_per_peer": whole(2, 10_000),
    "door_first_byte": seconds(0.1, 600),
    "door_request": seconds(0.1, 600),
    "catch_up": seconds(),
    "issues_apart": seconds(1, 86_400),
    "issues_at_once": COUNT,
    "upkeep_apart": seconds(1, 86_400),
    "debate_rounds": whole(0, 2),
    "dollars_an_hour": number(0, 10_000),
    "model_step": seconds(1, 3600),
    "step_retries": whole(0, 10),
    "retry_longest": seconds(0, 600),
    "task_steps": whole(5, 10_000),
    "first_wave": whole(1, 50),
    "minions_per_project": whole(1, 50),
    "minions": whole(1, 100),
    "minion_turns": whole(1, 500),
    "minion_seconds": seconds(1, 14_400),
    "minion_questions": whole(0, 10),
    "fixes": whole(0, 10),
    "tool_errors": whole(1, 20),
    "command_seconds": seconds(1, 3600),
}
LIMITS = Shape(Limits, tuple(_LIMITS), **_LIMITS)


EXTRA_GATE = Shape(
    ExtraGate,
    ("name", "command"),
    name=checked(text, _gate_name),
    command=checked(text, _command),
    on_fail=one_of(*OnFail),
)


def _gates(**given: Any) -> GateCommands:
    gates = GateCommands(**given)
    names = [gate.name for gate in gates.extra]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice:
        raise ValueError(f"two of its extra gates are named `{twice}`. Give one another name.")
    return gates


GATES = Shape(  # what is not written is found by what lies in the repository
    _gates, tests=checked(text, _command), lint=checked(text, _command), extra=items(EXTRA_GATE), environment=text
)


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
