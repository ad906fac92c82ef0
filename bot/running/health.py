"""Whether the program is well: /healthz, /metrics, and an event loop that knows how long it was held up."""

import asyncio
import json
import selectors
import time
from collections.abc import Mapping, Sequence

from bot.queries import Answer, Endpoint
from bot.running.scheduler import Pump
from bot.services import Services
from store.database import StoreUnavailable
from store.streams.audit import measure


class Health:
    def __init__(self, services: Services, pumps: Sequence[Pump]) -> None:
        self._services = services
        self._pumps = pumps

    @property
    def endpoints(self) -> dict[str, Endpoint]:
        return {"/healthz": self.healthz, "/metrics": self.metrics}

    async def healthz(self) -> Answer:
        """200 while the store can be used and every pump runs."""
        troubles = {pump.name: pump.trouble for pump in self._pumps if pump.trouble}
        try:
            await self._services.database.read(lambda tx: tx.posts.is_wanted(""))
        except StoreUnavailable as problem:
            troubles["store"] = problem.what
        body = {"ok": not troubles, "troubles": troubles}
        return Answer(text=json.dumps(body), status=503 if troubles else 200, media="application/json")

    async def metrics(self) -> Answer:
        now = self._services.clock.now()
        measured = await self._services.database.read(lambda tx: measure(tx.db, now))
        loop = asyncio.get_running_loop()
        if isinstance(loop, TimedLoop):
            measured["overlord_loop_worst_stall_seconds"] = ("The longest the loop was held up", loop.worst_stall)
        text = await asyncio.to_thread(_exposition, measured)
        return Answer(text=text, media="text/plain; version=0.0.4; charset=utf-8")


def _exposition(measured: Mapping[str, tuple[str, float]]) -> str:
    """In the words of Prometheus, whose library is loaded when somebody first asks."""
    from prometheus_client import CollectorRegistry, Gauge, generate_latest

    registry = CollectorRegistry()
    for name, (what, value) in measured.items():
        Gauge(name, what, registry=registry).set(value)
    return generate_latest(registry).decode()


class TimedSelector(selectors.DefaultSelector):
    """Times what the loop does between two waits: whatever comes meanwhile waits that long."""

    def __init__(self) -> None:
        super().__init__()
        self.worst = 0.0  # seconds
        self._since: float | None = None

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if self._since is not None:
            self.worst = max(self.worst, time.monotonic() - self._since)
        try:
            return super().select(timeout)
        finally:
            self._since = time.monotonic()


class TimedLoop(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        self._timed = TimedSelector()
        super().__init__(self._timed)

    @property
    def worst_stall(self) -> float:
        """The longest it was held up since it began, in seconds."""
        return self._timed.worst
