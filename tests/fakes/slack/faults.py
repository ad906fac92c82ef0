"""What can go wrong on the way: planned for the next calls of a method, or mixed in at random from a seed."""

import random
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class Fault(StrEnum):
    """`after`: the request was done and only its answer was lost."""

    RESET_BEFORE = "reset before"
    RESET_AFTER = "reset after"
    ERROR_BEFORE = "500 before"
    ERROR_AFTER = "500 after"
    RATE_LIMITED = "429"
    NOT_JSON = "not JSON"  # a proxy's page with status 200, after the request was done
    PLAIN_TEXT = "plain text"  # the same with a media type that the SDK takes for an upload's answer
    SLOW = "slow"
    REFUSED = "refused"  # ok: false with the error that `detail` names


AFTER = frozenset({Fault.RESET_AFTER, Fault.ERROR_AFTER, Fault.NOT_JSON, Fault.PLAIN_TEXT, Fault.SLOW})


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    fault: Fault
    seconds: float = 1.0  # Retry-After, or how slow
    detail: str = "fatal_error"


class Faults:
    def __init__(self) -> None:
        self._planned: dict[str, deque[Plan]] = {}
        self._mix: dict[Fault, float] = {}
        self._mixed_into: frozenset[str] = frozenset()
        self._chance = random.Random(0)
        self._retry_after = 1.0
        self.made: list[tuple[str, Fault]] = []

    def plan(self, method: str, *faults: Fault, seconds: float = 1.0, detail: str = "fatal_error") -> None:
        """The next calls of this method meet these, in order."""
        plans = [Plan(fault=fault, seconds=seconds, detail=detail) for fault in faults]
        self._planned.setdefault(method, deque()).extend(plans)

    def mix(self, shares: Mapping[Fault, float], *methods: str, seed: int = 0, retry_after: float = 1.0) -> None:
        """From now on each call of these methods meets a fault with this chance."""
        self._mix, self._mixed_into = dict(shares), frozenset(methods)
        self._chance, self._retry_after = random.Random(seed), retry_after

    def clear(self) -> None:
        self._planned.clear()
        self._mix.clear()

    def next(self, method: str) -> Plan | None:
        plan = self._next(method)
        if plan:
            self.made.append((method, plan.fault))
        return plan

    def _next(self, method: str) -> Plan | None:
        if planned := self._planned.get(method):
            return planned.popleft()
        if method not in self._mixed_into:
            return None
        drawn = self._chance.random()
        for fault, share in self._mix.items():
            if drawn < share:
                return Plan(fault=fault, seconds=self._retry_after)
            drawn -= share
        return None


class Pace:
    """Slack's own limit: about one message a second in a channel, with room for a short burst."""

    def __init__(self, per_second: float | None = None, burst: int = 3) -> None:
        self.per_second = per_second
        self.burst = burst
        self.refused = 0
        self._taken: dict[str, deque[float]] = {}

    def wait(self, channel: str, now: float) -> float:
        """Seconds to wait before this channel takes another message; 0: it is taken."""
        if self.per_second is None:
            return 0.0
        window = self.burst / self.per_second
        taken = self._taken.setdefault(channel, deque())
        while taken and taken[0] <= now - window:
            taken.popleft()
        if len(taken) < self.burst:
            taken.append(now)
            return 0.0
        self.refused += 1
        return max(1.0, taken[0] + window - now)
