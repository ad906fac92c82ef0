"""The REST side's skeleton: who asks, what befalls the request, limits, and answers exactly as Discord words them."""

import asyncio
import json
import socket
import struct
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from aiohttp import web

from tests.fakes.discord.limits import ApiError
from tests.fakes.discord.shapes import Shapes
from tests.fakes.discord.trouble import AFTER, Buckets, Kind, Trouble
from tests.fakes.discord.world import Json

PREFIX = "/api/v10"
VIA = {"Via": "1.1 google"}


@dataclass
class Call:
    """One request, read."""

    method: str
    template: str
    path: dict[str, str]
    query: dict[str, str]
    body: Json
    files: dict[str, bytes]


Answer = Json | list[Any] | None
Act = Callable[[Call], Answer | Awaitable[Answer]]


class Http:
    """Routes in; `seen` lists every request that arrived, in order, and `seen_at` when (of the monotonic clock)."""

    def __init__(self, token: str, shapes: Shapes) -> None:
        self.token, self.shapes = token, shapes
        self.trouble, self.buckets = Trouble(), Buckets()
        self.seen: list[tuple[str, str]] = []
        self.seen_at: list[float] = []
        self.app = web.Application(client_max_size=10 << 20)

    def route(self, method: str, template: str, act: Act, status: int = 200) -> None:
        async def answer(request: web.Request) -> web.StreamResponse:
            return await self._answer(request, template, act, status)

        self.app.router.add_route(method, PREFIX + template, answer)

    def count(self, method: str, part: str) -> int:
        return sum(1 for seen, path in self.seen if seen == method and part in path)

    async def _answer(self, request: web.Request, template: str, act: Act, status: int) -> web.StreamResponse:
        self.seen.append((request.method, request.path))
        self.seen_at.append(time.monotonic())
        fault = self.trouble.pick(request.method, request.path)
        if fault is Kind.RESET_BEFORE:
            return _reset(request)
        if fault is Kind.ERROR_BEFORE:
            return web.Response(status=502, text="<html>bad gateway</html>", content_type="text/html")
        bucket = self.buckets.of(request.method, template, _major(request))
        headers = self.buckets.headers(bucket, f"{request.method} {template}")
        if fault is Kind.LIMITED or not bucket.take():
            return self._limited(bucket.wait if fault is None else self.trouble.retry_after, headers)
        headers = self.buckets.headers(bucket, f"{request.method} {template}")
        try:
            call = await self._read(request, template)
            body = await _done(act(call))
        except ApiError as error:
            return _json(error.status, error.body, headers)
        if fault in AFTER:
            return await _lost(request, fault)
        if body is None:
            return web.Response(status=204, headers=headers)
        self.shapes.response(request.method, template, status, body)
        return _json(status, body, headers)

    async def _read(self, request: web.Request, template: str) -> Call:
        known_by_token = template.startswith(("/webhooks/", "/interactions/"))
        if not known_by_token and request.headers.get("Authorization") != f"Bot {self.token}":
            raise ApiError(401, 0, "401: Unauthorized")
        body, files = await _body(request)
        if body is not None and (problem := self.shapes.request(request.method, template, body)):
            raise ApiError(400, 50035, f"Invalid Form Body: {problem}")
        return Call(
            method=request.method,
            template=template,
            path=dict(request.match_info),
            query=dict(request.query),
            body=body if isinstance(body, dict) else {"": body},
            files=files,
        )

    def _limited(self, seconds: float, headers: dict[str, str]) -> web.Response:
        self.buckets.hits += 1
        body = {"message": "You are being rate limited.", "retry_after": round(seconds, 3), "global": False}
        more = {"Retry-After": str(int(seconds) + 1), "X-RateLimit-Scope": "user"}
        return _json(429, body, headers | more)


async def _done(answer: Answer | Awaitable[Answer]) -> Answer:
    return await answer if isinstance(answer, Awaitable) else answer


async def _body(request: web.Request) -> tuple[Any, dict[str, bytes]]:
    if not request.can_read_body:
        return None, {}
    if not request.content_type.startswith("multipart/"):
        return json.loads(await request.read()), {}
    data = await request.post()
    files = {f.filename: f.file.read() for f in data.values() if isinstance(f, web.FileField)}
    payload = data["payload_json"]
    return json.loads(payload if isinstance(payload, str | bytes | bytearray) else ""), files


def _json(status: int, body: Any, headers: dict[str, str]) -> web.Response:
    """The library reads a body as JSON only if the type is this and nothing more; Via tells it from Cloudflare's."""
    return web.Response(
        status=status, body=json.dumps(body).encode(), headers=headers | VIA | {"Content-Type": "application/json"}
    )


async def _lost(request: web.Request, fault: Kind) -> web.StreamResponse:
    if fault is Kind.RESET_AFTER:
        return _reset(request)
    if fault is Kind.SILENT_AFTER:
        await asyncio.sleep(3600)
    if fault is Kind.NOT_JSON:
        return web.Response(status=200, text="<html>maintenance</html>", content_type="text/html")
    return _json(500, {"message": "500: Internal Server Error", "code": 0}, {})


def _reset(request: web.Request) -> web.Response:
    """Cut the connection the hard way, so that the client meets a reset and not an end."""
    transport = request.transport
    if transport is not None:
        raw = transport.get_extra_info("socket")
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        transport.abort()
    return web.Response()


def _major(request: web.Request) -> str:
    found = request.match_info
    return found.get("channel_id") or found.get("guild_id") or found.get("webhook_token") or ""
