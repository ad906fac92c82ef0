"""A provider for programs of others: a strict model server in a thread of its own, a book of calls, fixed prices."""

import asyncio
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self

from agents.domain.errors import BudgetReached
from agents.domain.models.routing import Model
from agents.ports import Admitted, Answered, Call, Spent, Tried
from tests.fakes.model_server import KEY, Answer, ModelServer


class ProviderThread:
    """Serves beside whatever loop a test has, and may be begun where nothing can be awaited."""

    def __init__(self, wire: str, model: str, answers: Sequence[Answer], **able: Any) -> None:
        self.server = ModelServer(wire=wire, models=(model,), **able)
        self.server.answers("any", *answers)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        asyncio.run_coroutine_threadsafe(self.server.__aenter__(), self._loop).result(10)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        asyncio.run_coroutine_threadsafe(self.server.__aexit__(None, None, None), self._loop).result(10)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)
        self._loop.close()

    @property
    def url(self) -> str:
        return self.server.url

    def asked(self, model: str) -> Model:
        return Model(name=f"{self.server.wire.provider.partition('/')[0]}/{model}", base_url=self.url, api_key=KEY)


@dataclass(frozen=True, slots=True)
class FixedPrices:
    """Dollars a token."""

    price: float = 1e-6

    async def most_tokens(self, model: Model, most: int | None) -> int:
        return most or 1_000

    async def prices(self, model: Model) -> tuple[float, float]:
        return self.price, self.price

    async def cache_prices(self, model: Model) -> tuple[float, float]:
        return self.price / 10, self.price


@dataclass(slots=True)
class MemoryBook:
    """Implements agents.ports.CallBook. `stops_at`: which call would go over the budget, counted from 0."""

    stops_at: int | None = None
    begun: list[Call] = field(default_factory=list)
    ended: list[Tried] = field(default_factory=list)
    known: set[str] = field(default_factory=set)
    before: Callable[[], None] = lambda: None

    async def begin(self, call: Call) -> Admitted | Answered:
        self.before()
        if call.id in self.known:
            return Answered(answer="{}", spent=Spent())
        if self.stops_at is not None and len(self.begun) >= self.stops_at:
            raise BudgetReached("this task", limit=1.0, spent=1.0, wanted=0.1)
        self.begun.append(call)
        return Admitted(model=next(iter(call.models)))

    async def record_try(self, call: Call, tried: Tried) -> None:
        self.ended.append(tried)

    async def finish(self, call: Call, tried: Tried, answer: str, degraded: str) -> Spent:
        self.known.add(call.id)
        self.ended.append(tried)
        return Spent(model=tried.model, cost=tried.cost)
