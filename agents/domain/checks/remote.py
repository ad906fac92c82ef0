"""Checks that a forge's own CI runs on a commit that was pushed to it: how each stands, and what all come to."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from agents.domain.checks.evaluation import Checked, GateRun, Score

ALL = "remote checks"


class CheckState(StrEnum):
    WAITING = "waiting"
    PASSED = "passed"
    FAILED = "failed"
    SKIPPED = "skipped"  # it was not run, so it says nothing


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoteCheck:
    """One check, in its forge's words; they are only shown and handed on."""

    name: str
    state: CheckState
    url: str  # where a person reads it
    why: str = ""
    output: str = ""  # the end of its log, where the forge gives it

    @property
    def gate(self) -> str:
        """Its name among gates: none of ours has such a one, whatever the forge calls it."""
        return f"remote {self.name}"

    @property
    def as_gate(self) -> GateRun:
        score = Score.PASS if self.state is CheckState.PASSED else Score.NEEDS_REVISION
        return GateRun(name=self.gate, score=score, why=self.why, output=self.output, remote=True, url=self.url)


class Standing(StrEnum):
    """What the checks of a commit come to."""

    WAITING = "waiting"
    NONE = "none"  # nothing was run, which is no pass
    PASSED = "passed"
    FAILED = "failed"


def checked_remotely(checks: Sequence[RemoteCheck]) -> Checked:
    """What is shown of them, and sent back where one failed. Where nothing was run, that is said: it is no obstacle,
    and no pass."""
    told = [check.as_gate for check in checks if check.state in (CheckState.PASSED, CheckState.FAILED)]
    none = GateRun(name=ALL, score=Score.PASS, why="the forge ran none on this commit", remote=True, skipped=True)
    return Checked(gates=tuple(told) or (none,))


def remote_names(waiting: Sequence[str]) -> tuple[str, ...]:
    """Of the gates that a person goes on without; where it is not known which there are, all."""
    return tuple(f"remote {name}" for name in waiting) or (ALL,)


def waiting_for(checks: Sequence[RemoteCheck]) -> tuple[str, ...]:
    return tuple(check.name for check in checks if check.state is CheckState.WAITING)


def standing_of(checks: Sequence[RemoteCheck], *, seconds: float, grace: float) -> Standing:
    """`seconds` since the commit was pushed: a forge takes a moment to begin, so only after `grace` is it known that
    there are no more of them. All are waited for, so that all that failed are told at once."""
    if waiting_for(checks):
        return Standing.WAITING
    if any(check.state is CheckState.FAILED for check in checks):
        return Standing.FAILED
    if seconds < grace:
        return Standing.WAITING
    return Standing.PASSED if any(check.state is CheckState.PASSED for check in checks) else Standing.NONE
