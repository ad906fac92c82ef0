"""Lends a model to one run of a program: counts each call in the book, and stops where a budget is spent."""

import asyncio
import secrets
import time
from dataclasses import dataclass, field
from hmac import compare_digest
from typing import Protocol

from agents.domain.errors import BudgetReached, NoAnswer
from agents.domain.ids import derive_id
from agents.domain.models.failure import ErrorClass, Failure
from agents.domain.models.routing import Model
from agents.llm.client import Notices
from agents.llm.gateway import BYTES_A_TOKEN
from agents.llm.relay.usage import Usage
from agents.llm.relay.wires import Refused, Wanted, Wire
from agents.ports import Admitted, Call, CallBook, Loan, Tried

MOST_ANSWER = 32_000  # tokens of one answer: what a call may cost at most is reserved before it is made


class Prices(Protocol):
    """What is known of models and their prices; agents.llm.gateway.Gateway knows it."""

    async def most_tokens(self, model: Model, most: int | None) -> int: ...

    async def prices(self, model: Model) -> tuple[float, float]: ...

    async def cache_prices(self, model: Model) -> tuple[float, float]: ...


@dataclass(slots=True, kw_only=True)
class Lent:
    """One loan, as the server that answers in the sandbox sees it."""

    prices: Prices
    book: CallBook
    job: str
    notices: Notices
    loan: Loan
    wire: Wire
    asked: Model
    token: str = field(default_factory=lambda: f"run-{secrets.token_urlsafe(24)}", repr=False)
    calls: int = 0
    seconds: float = 0.0
    last_failure: Failure | None = None
    _number: int = 0
    _spent: asyncio.Event = field(default_factory=asyncio.Event)
    _reached: BudgetReached | None = None

    @property
    def model(self) -> str:
        return self.asked.name.partition("/")[2]

    @property
    def address(self) -> str:
        return (self.asked.base_url or self.wire.address).rstrip("/")

    def knows(self, token: str) -> bool:
        return compare_digest(token.encode(errors="replace"), self.token.encode())

    async def until_spent(self) -> None:
        await self._spent.wait()
        assert self._reached is not None
        raise self._reached

    async def admit(self, wanted: Wanted, size: int) -> Call:
        """Reserves what the call may cost at most. Raises Refused."""
        if wanted.model != self.model:
            raise Refused(403, f"this run may ask `{self.model}` alone, not `{wanted.model}`")
        if self._reached is not None:
            raise Refused(403, STOPPED)
        if why := await self.loan.next_turn(self.wire.acts(wanted.body)):
            raise Refused(403, why)
        prices = self.prices
        most = self.wire.limit(wanted, await prices.most_tokens(self.asked, MOST_ANSWER))
        price_in, price_out = await prices.prices(self.asked)
        worst = price_in * size / BYTES_A_TOKEN + price_out * most
        try:
            return await self._begin(worst)
        except BudgetReached as reached:
            self._reached = reached
            self._spent.set()
            raise Refused(403, STOPPED) from reached
        except NoAnswer as none:
            self.last_failure = Failure(error=ErrorClass.NETWORK, message=none.what)
            raise Refused(503, none.what) from none

    async def _begin(self, worst: float) -> Call:
        """Numbers go on after a crash: those that are paid are passed over, and one that was under way is over."""
        while True:
            self._number += 1
            step = f"{self.loan.run}:cli:{self._number}"
            call = Call(
                id=derive_id("call", self.job, step),
                task=self.loan.task,
                question=self.loan.question,
                role=self.loan.role,
                models={self.asked.name: worst},
                job=self.job,
                step=step,
            )
            if isinstance(await self.book.begin(call), Admitted):
                self.calls += 1
                return call

    async def settle(self, call: Call, usage: Usage, began: float, failure: Failure | None, size: int) -> None:
        """Counts what was told; where nothing was, what went out and in, for somebody pays for it. A program that hangs
        up before the end is told has what it heard counted."""
        self.last_failure = failure
        tokens_in, tokens_out = usage.tokens_in, usage.tokens_out
        if not usage.whole:
            tokens_out = max(tokens_out, usage.heard // BYTES_A_TOKEN)
        if failure is None and not tokens_in:
            tokens_in = size // BYTES_A_TOKEN
        tried = Tried(
            model=self.asked.name,
            cost=await self._cost(tokens_in, tokens_out, usage),
            tokens_in=tokens_in,
            tokens_out=tokens_out,
            cached_tokens=usage.cached,
            seconds=time.monotonic() - began,
            failure=failure,
        )
        self.seconds += tried.seconds
        if failure is not None:
            await self.book.record_try(call, tried)
        else:
            self.notices.add(await self.book.finish(call, tried, "{}", ""))

    async def _cost(self, tokens_in: int, tokens_out: int, usage: Usage) -> float:
        price_in, price_out = await self.prices.prices(self.asked)
        kept, written = await self.prices.cache_prices(self.asked)
        plain = max(0, tokens_in - usage.cached - usage.written)
        return price_in * plain + kept * usage.cached + written * usage.written + price_out * tokens_out


STOPPED = "the budget of this task is spent, so nothing more is passed on; a person is asked"
