"""Why a call failed, and what to do about it: ask again as it was, ask again with the fault named, or ask a person."""

import errno
import re
from dataclasses import dataclass, replace
from enum import StrEnum

from agents.domain.limits import Limits


class ErrorClass(StrEnum):
    NETWORK = "network"
    CLI_ERROR = "cli_error"
    VALIDATION = "validation"  # of the wrong shape
    PARSING = "parsing"  # no shape at all
    LOGIC = "logic"  # of the right shape, and wrong
    RESOURCE = "resource"  # quota, key, model: nothing that trying again mends


class Action(StrEnum):
    ESCALATE = "escalate"
    RETRY_WITH_FEEDBACK = "retry_with_feedback"
    RETRY_SAME = "retry_same"
    RETRY_ONCE = "retry_once"


# Fatal first, then what the model can mend, then what passes by itself.
ACTIONS: dict[ErrorClass, Action] = {
    ErrorClass.RESOURCE: Action.ESCALATE,
    ErrorClass.VALIDATION: Action.RETRY_WITH_FEEDBACK,
    ErrorClass.PARSING: Action.RETRY_WITH_FEEDBACK,
    ErrorClass.LOGIC: Action.RETRY_WITH_FEEDBACK,
    ErrorClass.NETWORK: Action.RETRY_SAME,
    ErrorClass.CLI_ERROR: Action.RETRY_ONCE,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    error: ErrorClass
    message: str
    retry_after: float | None = None  # what the other side asked for
    cut_off: bool = False  # the answer was longer than it may be
    overflow: bool = False  # the question was longer than the model takes
    window: int = 0  # tokens that it takes, where the refusal says so
    unbound: bool = False  # the server takes no schema for an answer
    no_tools: bool = False  # the server passes no tools on
    late: bool = False  # it was asked, and had not answered in time

    @property
    def action(self) -> Action:
        return ACTIONS[self.error]

    @property
    def simpler_may_do(self) -> bool:
        """The question could not be taken or finished as it was, so a smaller one may be answered."""
        return self.cut_off or (self.error is ErrorClass.RESOURCE and not self.no_tools)

    def too_long(self, policy: "RetryPolicy") -> bool:
        """Nobody waits a day because a provider says so."""
        return self.retry_after is not None and self.retry_after > policy.longest


class Fault(StrEnum):
    """What was wrong with an answer, for people."""

    CUT_OFF = "cut_off"
    TOO_LONG = "too_long"  # the question
    SILENT = "silent"
    UNREADABLE = "unreadable"
    REFUSED = "refused"  # read, and it does not count


def fault_of(failure: Failure) -> Fault:
    if failure.cut_off or failure.overflow:
        return Fault.CUT_OFF if failure.cut_off else Fault.TOO_LONG
    return _FAULTS[failure.error]


_FAULTS: dict[ErrorClass, Fault] = {
    ErrorClass.NETWORK: Fault.SILENT,
    ErrorClass.CLI_ERROR: Fault.SILENT,
    ErrorClass.RESOURCE: Fault.SILENT,
    ErrorClass.PARSING: Fault.UNREADABLE,
    ErrorClass.VALIDATION: Fault.UNREADABLE,
    ErrorClass.LOGIC: Fault.REFUSED,
}


def error_of_status(status: int, said: str = "") -> ErrorClass:
    """Of an HTTP answer that is no good: what passes by itself, and what people must do something about. A quota that
    is used up comes with the status of one who is too busy."""
    passing = status >= 500 or status in _PASSING
    return ErrorClass.NETWORK if passing and not (status == 429 and QUOTA.search(said)) else ErrorClass.RESOURCE


_PASSING = frozenset({408, 409, 425, 429})
QUOTA = re.compile(r"insufficient_quota|exceeded your current quota|billing|credit balance|payment required", re.I)

# What trying again may mend. A quota, a key or a missing program never is, so no policy may name RESOURCE.
MENDABLE = frozenset(ErrorClass) - {ErrorClass.RESOURCE}


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryPolicy:
    """Seconds; `jitter` is the share by which a wait may differ."""

    attempts: int
    base: float
    factor: float
    longest: float
    jitter: float = 0.1
    unread: int = 0  # tries where an answer came and does not count; 0: as `attempts`
    retried: frozenset[ErrorClass] = MENDABLE

    def wait(self, failures: int, chance: float) -> float:
        """How long to wait after so many failures; `chance` is drawn from 0 to 1 by whoever asks."""
        plain = min(self.longest, self.base * self.factor ** (failures - 1))
        return plain * (1 + self.jitter * (2 * chance - 1))

    def under(self, limits: Limits) -> "RetryPolicy":
        """The policy rules, the limits are its ceiling."""
        attempts = min(self.attempts, 1 + limits.step_retries)
        unread = min(self.unread, 1 + limits.step_retries)
        return replace(self, attempts=attempts, unread=unread, longest=min(self.longest, limits.retry_longest))


POLICIES: dict[str, RetryPolicy] = {
    "default": RetryPolicy(attempts=3, base=2, factor=2.0, longest=30),
    "aggressive": RetryPolicy(attempts=5, base=1, factor=1.5, longest=60),
    "conservative": RetryPolicy(attempts=2, base=5, factor=3.0, longest=120),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Again:
    """Try once more, after waiting, with what to add to the question."""

    wait: float = 0.0
    feedback: str = ""
    elsewhere: bool = False  # ask the next one that can answer instead


def next_try(
    failure: Failure, failures: int, policy: RetryPolicy, chance: float, *, elsewhere: bool = False
) -> Again | None:
    """What to do after the n-th failure of one kind. None: a person decides. `elsewhere`: another can be asked."""
    if failures >= _most_tries(failure, policy):
        return None
    retried = failure.error in policy.retried
    if failure.action is Action.RETRY_WITH_FEEDBACK and retried:
        return Again(feedback=FEEDBACK[failure.error].format(message=failure.message))
    if elsewhere:
        return Again(elsewhere=True)
    if not retried or failure.action is Action.ESCALATE or failure.too_long(policy):
        return None
    return Again(wait=max(policy.wait(failures, chance), failure.retry_after or 0.0))


def _most_tries(failure: Failure, policy: RetryPolicy) -> int:
    """One who was asked and did not answer in time is asked once more, whatever it says of others."""
    if failure.action is Action.RETRY_ONCE or failure.late:
        return 2
    return max(policy.attempts, policy.unread) if failure.action is Action.RETRY_WITH_FEEDBACK else policy.attempts


_AGAIN = "Answer again with exactly one JSON object of the schema, and nothing before or after it."
# Short, and as the handbook says it: the question with its schema stands above, and is not said again.
FEEDBACK: dict[ErrorClass, str] = {
    ErrorClass.VALIDATION: f"Your last answer did not fit the schema: {{message}}. {_AGAIN}",
    ErrorClass.PARSING: f"Your last answer could not be read: {{message}}. {_AGAIN}",
    ErrorClass.LOGIC: f"Your last answer does not count: {{message}}. {_AGAIN}",
}


def failure_of_step(problem: Exception) -> Failure:
    """What kept a step from coming to a result. A fault that names no class of its own is tried once more."""
    caused = problem.__cause__
    known = _class_of(problem) or (_class_of(caused) if isinstance(caused, Exception) else None)
    return Failure(error=known or ErrorClass.CLI_ERROR, message=str(problem) or type(problem).__name__)


def _class_of(problem: Exception) -> ErrorClass | None:
    if named := getattr(problem, "error", ""):
        return ErrorClass(named)
    if isinstance(problem, ConnectionError | TimeoutError):
        return ErrorClass.NETWORK
    full = isinstance(problem, MemoryError) or getattr(problem, "errno", None) in _FULL
    return ErrorClass.RESOURCE if full else None


_FULL = (errno.ENOSPC, errno.EDQUOT, errno.ENOMEM, errno.EMFILE, errno.ENFILE)

FAILURES = 5
WINDOW = 300.0  # seconds


class BreakerState(StrEnum):
    CLOSED = "closed"
    OPEN = "open"
    PROBING = "probing"


@dataclass(frozen=True, slots=True, kw_only=True)
class Breaker:
    failures: tuple[float, ...] = ()  # when, seconds since 1970
    opened_at: float | None = None
    probing_since: float | None = None
    problem: str = ""  # what went wrong last, where it is known

    def state(self, now: float) -> BreakerState:
        if self.opened_at is None:
            return BreakerState.CLOSED
        waited = now - self.opened_at >= WINDOW or now < self.opened_at
        return BreakerState.PROBING if waited else BreakerState.OPEN

    def admit(self, now: float, *, by_person: bool = False) -> "Breaker | None":
        """The breaker with this call let through; None: not now. While it probes, one call at a time. A person who has
        it tried again need not wait for the probe."""
        match self.state(now):
            case BreakerState.CLOSED:
                return self
            case BreakerState.OPEN:
                return replace(self, probing_since=now) if by_person else None
            case BreakerState.PROBING:
                busy = self.probing_since is not None and now - self.probing_since < WINDOW
                return None if busy else replace(self, probing_since=now)

    def after_failure(self, now: float, *, at_once: bool = False, problem: str = "") -> "Breaker":
        """`at_once`: the other side itself says that it will not answer for long."""
        recent = (*(at for at in self.failures if 0 <= now - at < WINDOW), now)[-FAILURES:]
        opens = at_once or len(recent) >= FAILURES or self.opened_at is not None
        return Breaker(failures=recent, opened_at=now if opens else None, problem=problem)

    def rests_until(self, now: float) -> float:
        """When the next call is let through, if none says otherwise before."""
        return now if self.opened_at is None else max(now, self.opened_at + WINDOW)

    def after_release(self) -> "Breaker":
        """The call that was let through said nothing about its health; another may probe."""
        return replace(self, probing_since=None)

    def after_success(self) -> "Breaker":
        return Breaker()
