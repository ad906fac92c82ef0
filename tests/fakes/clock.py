"""A clock that runs faster than the real one; implements agents.ports.Clock."""

import time
from datetime import UTC, datetime, timedelta


class ScaledClock:
    """Time that passes `scale` times as fast, counted from a fixed instant shared by every process of a test."""

    def __init__(self, scale: float, since: float) -> None:
        self._scale = scale
        self._since = since
        self.shift = timedelta()

    def now(self) -> datetime:
        passed = (time.time() - self._since) * self._scale
        return datetime.fromtimestamp(self._since, UTC) + timedelta(seconds=passed) + self.shift

    def real_seconds(self, seconds: float) -> float:
        return max(0.0, seconds) / self._scale
