"""The time as the program sees it."""

from datetime import UTC, datetime


class SystemClock:
    """Implements agents.ports.Clock."""

    def now(self) -> datetime:
        return datetime.now(UTC)

    def real_seconds(self, seconds: float) -> float:
        return max(0.0, seconds)
