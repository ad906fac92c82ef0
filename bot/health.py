"""Whether the program is well: /healthz for machines that restart it, /metrics for those that draw it."""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress

from bot.jobs import Pump
from bot.office import Office
from bot.platforms.console.options import Answer
from store.database import StoreUnavailable
from store.gauges import measure

BEAT = 0.05  # seconds between two looks at how late the loop is


class Health:
    def __init__(self, office: Office) -> None:
        self._office = office
        self._pumps: Sequence[Pump] = ()
        self.worst_stall = 0.0

    @asynccontextmanager
    async def watching(self, pumps: Sequence[Pump]) -> AsyncIterator[None]:
        self._pumps = pumps
        beating = asyncio.create_task(self._beat(), name="heartbeat")
        try:
            yield
        finally:
            beating.cancel()
            with suppress(asyncio.CancelledError):
                await beating

    async def healthz(self) -> Answer:
        """200 while the store can be used and every pump runs."""
        troubles = {pump.name: pump.trouble for pump in self._pumps if pump.trouble}
        try:
            await self._office.database.read(lambda books: books.posts.wanted(""))
        except StoreUnavailable as problem:
            troubles["store"] = problem.what
        body = {"ok": not troubles, "troubles": troubles}
        return Answer(text=json.dumps(body), status=503 if troubles else 200, media="application/json")

    async def metrics(self) -> Answer:
        now = self._office.clock.now()
        measured = await self._office.database.read(lambda books: measure(books.db, now))
        measured["overlord_loop_worst_stall_seconds"] = ("The longest the event loop was held up", self.worst_stall)
        text = await asyncio.to_thread(_exposition, measured)
        return Answer(text=text, media="text/plain; version=0.0.4; charset=utf-8")

    async def _beat(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            before = loop.time()
            await asyncio.sleep(BEAT)
            self.worst_stall = max(self.worst_stall, loop.time() - before - BEAT)


def _exposition(measured: Mapping[str, tuple[str, float]]) -> str:
    """In the words of Prometheus, whose library is loaded when somebody first asks."""
    from prometheus_client import CollectorRegistry, Gauge, generate_latest

    registry = CollectorRegistry()
    for name, (what, value) in measured.items():
        Gauge(name, what, registry=registry).set(value)
    return generate_latest(registry).decode()
