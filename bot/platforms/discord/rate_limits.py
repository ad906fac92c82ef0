"""Rate limits of Discord: of a method on a route of one channel, or global. Also applied to discord.py's own calls."""

import asyncio
from types import SimpleNamespace

import aiohttp

from agents.domain.text.sanitize import seconds_to_wait
from bot.delivery.waits import Waits

EVERYTHING = "*"
NOT_FROM_DISCORD = 60.0  # seconds, where a 429 does not say for how long


def scope(method: str, path: str) -> str:
    """What one limit is for: method, route and channel; other ids in the path do not matter."""
    parts = path.partition("?")[0].split("/")
    return f"{method} {'/'.join(part if at < 3 or not part.isdecimal() else '*' for at, part in enumerate(parts))}"


def trace_waits(waits: Waits, api_path: str) -> aiohttp.TraceConfig:
    """Makes discord.py respect and record the stored waits, which it would forget with its client."""

    def scope_of(method: str, path: str) -> str:
        return scope(method, path.removeprefix(api_path.rstrip("/")))

    async def before(
        session: aiohttp.ClientSession, context: SimpleNamespace, asked: aiohttp.TraceRequestStartParams
    ) -> None:
        for name in (EVERYTHING, scope_of(asked.method, asked.url.path)):
            await asyncio.sleep(waits.seconds_left(name))

    async def after(
        session: aiohttp.ClientSession, context: SimpleNamespace, told: aiohttp.TraceRequestEndParams
    ) -> None:
        headers = told.response.headers
        if told.response.status == 429:
            everywhere = "X-RateLimit-Global" in headers or headers.get("X-RateLimit-Scope") == "global"
            name = EVERYTHING if everywhere else scope_of(told.method, told.url.path)
            await waits.keep(name, seconds_to_wait(headers.get("Retry-After"), NOT_FROM_DISCORD))

    trace = aiohttp.TraceConfig()
    trace.on_request_start.append(before)
    trace.on_request_end.append(after)
    return trace
