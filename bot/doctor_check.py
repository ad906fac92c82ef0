"""The result of one check of `overlord doctor`."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

Now = Callable[[], float]


class State(StrEnum):
    OK = "ok"
    WARN = "warn"
    FAIL = "fail"


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    name: str
    state: State
    seen: str
    next_step: str = ""


def ok(name: str, seen: str) -> Check:
    return Check(name=name, state=State.OK, seen=seen)


def warn(name: str, seen: str, next_step: str) -> Check:
    return Check(name=name, state=State.WARN, seen=seen, next_step=next_step)


def fail(name: str, seen: str, next_step: str) -> Check:
    return Check(name=name, state=State.FAIL, seen=seen, next_step=next_step)
