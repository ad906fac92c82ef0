"""Whether the program is well: /healthz for machines that restart it, /metrics for those that draw it."""

import asyncio
import json
from collections.abc import Mapping, Sequence

from bot.loop import TimedLoop
from bot.queries.views import Answer, Endpoint
from bot.running.pump import Pump
from bot.services import Services
from store.database import StoreUnavailable
from store.streams.audit import measure


class Health:
    def __init__(self, office: Services, pumps: Sequence[Pump]) -> None:
        self._office = office
        self._pumps = pumps

    @property
    def endpoints(self) -> dict[str, Endpoint]:
        return {"/healthz": self.healthz, "/metrics": self.metrics}

    async def healthz(self) -> Answer:
        """200 while the store can be used and every pump runs."""
        troubles = {pump.name: pump.trouble for pump in self._pumps if pump.trouble}
        try:
            await self._office.database.read(lambda tx: tx.posts.is_wanted(""))
        except StoreUnavailable as problem:
            troubles["store"] = problem.what
        body = {"ok": not troubles, "troubles": troubles}
        return Answer(text=json.dumps(body), status=503 if troubles else 200, media="application/json")

    async def metrics(self) -> Answer:
        now = self._office.clock.now()
        measured = await self._office.database.read(lambda tx: measure(tx.db, now))
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
