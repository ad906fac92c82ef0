"""A breaker stops asking something that keeps failing, and lets one probe through when it has had time to mend."""

from dataclasses import dataclass, replace
from enum import StrEnum

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

    def state(self, now: float) -> BreakerState:
        if self.opened_at is None:
            return BreakerState.CLOSED
        waited = now - self.opened_at >= WINDOW or now < self.opened_at
        return BreakerState.PROBING if waited else BreakerState.OPEN

    def admit(self, now: float) -> "Breaker | None":
        """The breaker with this call let through; None: not now. While it probes, one call at a time."""
        match self.state(now):
            case BreakerState.CLOSED:
                return self
            case BreakerState.OPEN:
                return None
            case BreakerState.PROBING:
                busy = self.probing_since is not None and now - self.probing_since < WINDOW
                return None if busy else replace(self, probing_since=now)

    def failed(self, now: float, *, at_once: bool = False) -> "Breaker":
        """`at_once`: the other side itself says that it will not answer for long."""
        recent = (*(at for at in self.failures if 0 <= now - at < WINDOW), now)[-FAILURES:]
        opens = at_once or len(recent) >= FAILURES or self.opened_at is not None
        return Breaker(failures=recent, opened_at=now if opens else None)

    def released(self) -> "Breaker":
        """The call that was let through said nothing about its health; another may probe."""
        return replace(self, probing_since=None)

    def succeeded(self) -> "Breaker":
        return Breaker()
