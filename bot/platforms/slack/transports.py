"""How Slack's events come in: by signed HTTP, where nothing is parsed before its signature was checked, or by Socket
Mode, where a socket from which nothing comes any more is replaced, even if it claims to be connected.
"""

import asyncio
import hashlib
import hmac
import logging
import re
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Mapping
from contextlib import asynccontextmanager
from typing import Any, cast

import aiohttp
from aiohttp import web
from aiohttp.typedefs import Handler
from slack_bolt.adapter.socket_mode.aiohttp import AsyncSocketModeHandler
from slack_bolt.app.async_app import AsyncApp
from slack_sdk.errors import SlackApiError
from slack_sdk.socket_mode.async_client import AsyncBaseSocketModeClient
from slack_sdk.web.async_client import AsyncWebClient

from agents.domain.errors import SettingsProblem
from bot.messages import Later
from bot.network import BACKLOG, ConnectionLimiter, TrackedConnection, let_queue
from bot.platforms.slack.options import SlackOptions

log = logging.getLogger("overlord.slack")

PATH = "/slack/events"
BODY_MOST = 1024 * 1024
WINDOW = 300  # seconds that a request may be old or ahead
_STAMP = re.compile(r"[0-9]{1,12}", re.ASCII)
CONNECT = 10.0  # seconds in which a new socket must have said hello
SLOWEST = 10.0  # seconds between two tries while Slack cannot be reached
CLOSING = 15.0  # seconds for a socket to close

Take = Callable[[str, Mapping[str, str]], Awaitable[web.Response]]
Aside = Callable[[Coroutine[Any, Any, None]], None]
ByTransport = dict[asyncio.BaseTransport | None, TrackedConnection]  # by the connection that a request names


class Unverified(Exception):
    """The request is not signed by Slack, or too old."""


def verify(headers: Mapping[str, str], body: bytes, secret: str, now: float) -> None:
    """Over the raw bytes: the SDK's own verifier fails on those that are no UTF-8."""
    stamp, given = headers.get("X-Slack-Request-Timestamp", ""), headers.get("X-Slack-Signature", "")
    if not _STAMP.fullmatch(stamp) or abs(now - int(stamp)) > WINDOW:
        raise Unverified("an old or odd timestamp")
    digest = hmac.new(secret.encode(), b"v0:" + stamp.encode() + b":" + body, hashlib.sha256).hexdigest()
    if not hmac.compare_digest(f"v0={digest}".encode(), given.encode("utf-8", "surrogateescape")):
        raise Unverified("a wrong signature")


async def _read_body(request: web.Request) -> bytes:
    """The body. Raises Unverified if it is unsigned or larger than anything Slack sends."""
    if not request.headers.get("X-Slack-Signature") or (request.content_length or 0) > BODY_MOST:
        raise Unverified("no signature, or too much")
    body = b""
    async for chunk in request.content.iter_chunked(64 * 1024):
        body += chunk
        if len(body) > BODY_MOST:
            raise Unverified("too much")
    return body


class CountedConnection(asyncio.Protocol):
    """A connection counted by the ConnectionLimiter. One that it does not admit never reaches the server."""

    def __init__(self, inner: asyncio.Protocol, limiter: ConnectionLimiter, connections: ByTransport) -> None:
        self._inner, self._limiter, self._connections = inner, limiter, connections
        self._tracked: TrackedConnection | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        self._tracked = self._limiter.admit(self._transport)
        if self._tracked:
            self._connections[self._transport] = self._tracked
            self._inner.connection_made(self._transport)

    def data_received(self, data: bytes) -> None:
        if self._tracked:
            self._tracked.read()
            self._inner.data_received(data)

    def eof_received(self) -> bool | None:
        return self._inner.eof_received() if self._tracked else None

    def pause_writing(self) -> None:
        if self._tracked:
            self._tracked.stall()
            self._inner.pause_writing()

    def resume_writing(self) -> None:
        if self._tracked:
            self._tracked.resume()
            self._inner.resume_writing()

    def connection_lost(self, exc: Exception | None) -> None:
        if self._tracked:
            self._connections.pop(self._transport, None)
            self._tracked.close()
            self._inner.connection_lost(exc)


def application(secret: str, take: Take, connections: ByTransport) -> web.Application:
    @web.middleware
    async def end_request(request: web.Request, handler: Handler) -> web.StreamResponse:
        try:
            return await handler(request)
        finally:
            if connection := connections.get(request.transport):
                connection.wait()

    async def receive(request: web.Request) -> web.Response:
        try:
            body = await _read_body(request)
            if connection := connections.get(request.transport):
                connection.answer()
            verify(request.headers, body, secret, time.time())
        except (Unverified, ConnectionError):  # they may have left before all of it was here
            return web.Response(status=401, text="not signed by Slack")
        try:
            return await take(body.decode(), request.headers)
        except (ValueError, RecursionError):
            return web.Response(status=400, text="not a request I know")

    app = web.Application(middlewares=[end_request])
    app.router.add_post(PATH, receive)
    return app


@asynccontextmanager
async def serve_http(options: SlackOptions, take: Take) -> AsyncIterator[str]:
    """Serve while the block runs; yields the address. Port 0 takes any free one."""
    connections: ByTransport = {}
    limiter = ConnectionLimiter("slack", options.limits)
    app = application(options.signing_secret, take, connections)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=1, handle_signals=False)
    await runner.setup()
    made = cast("Callable[[], asyncio.Protocol]", runner.server)
    try:
        server = await _listen(lambda: CountedConnection(made(), limiter, connections), options)
        host, port = server.sockets[0].getsockname()[:2]
        try:
            yield f"http://{host}:{port}{PATH}"
        finally:
            server.close()
    finally:
        await runner.cleanup()
        limiter.close()


async def _listen(make: Callable[[], asyncio.Protocol], options: SlackOptions) -> asyncio.Server:
    loop = asyncio.get_running_loop()
    try:
        server = await loop.create_server(make, options.http_host, options.http_port, backlog=BACKLOG)
        for listener in server.sockets:
            let_queue(listener.fileno())
        return server
    except OSError as problem:
        raise SettingsProblem(
            f"Slack's events cannot be heard on {options.http_host} port {options.http_port} ({problem.strerror})",
            next_step="Stop what uses it, or set OVERLORD_HTTP_PORT to another port.",
        ) from problem


# ── Socket Mode ─────────────────────────────────────────────────────────────────────────────────────────────────


async def listen_on_sockets(
    app: AsyncApp, client: AsyncWebClient, options: SlackOptions, connected: Callable[[], None], aside: Aside
) -> None:
    """Never returns. Calls `connected` for each new socket; closes old ones in the background."""
    wait = 0.0
    while True:
        link = _Link(app, client, options)
        try:
            await link.connect()
            connected()
            wait = 0.0
            await link.until_silent()
            log.warning("a socket fell silent and is rebuilt")
        except (SlackApiError, aiohttp.ClientError, TimeoutError, OSError) as problem:
            log.warning("Slack gave no socket", extra={"problem": f"{type(problem).__name__}: {problem}"})
            wait = min(SLOWEST, max(options.ping / 5, wait * 2))
        except Later as later:
            wait = later.seconds
        except asyncio.CancelledError:
            await link.close(within=1.0)
            raise
        aside(link.close())
        await asyncio.sleep(wait)


class _Link:
    """One socket, from its hello until it falls silent."""

    def __init__(self, app: AsyncApp, client: AsyncWebClient, options: SlackOptions) -> None:
        self._options = options
        self._hello = asyncio.Event()
        handler = AsyncSocketModeHandler(
            app, options.app_token, web_client=client, ping_interval=options.ping, proxy=client.proxy
        )
        self._client = handler.client
        # the SDK would go on with a link that no longer works; rebuilding is ours alone
        self._client.auto_reconnect_enabled = self._client.default_auto_reconnect_enabled = False
        self._client.message_listeners.append(self._on_message)

    async def connect(self) -> None:
        async with asyncio.timeout(min(CONNECT, 4 * self._options.deaf_after)):
            await self._client.connect()  # type: ignore[no-untyped-call]
            await self._hello.wait()

    async def until_silent(self) -> None:
        began = time.time()
        while True:
            await asyncio.sleep(self._options.ping / 2)
            session = self._client.current_session
            last = max(began, self._client.last_ping_pong_time or 0.0)
            if session is None or session.closed or time.time() - last > self._options.deaf_after:
                return

    async def close(self, within: float = CLOSING) -> None:
        """A dead peer never answers the closing handshake, so this may take its time."""
        try:
            async with asyncio.timeout(within):
                await self._client.close()  # type: ignore[no-untyped-call]
        except (aiohttp.ClientError, TimeoutError, OSError):
            log.info("an old socket did not close in time")
        finally:
            await self._client.aiohttp_client_session.close()

    async def _on_message(self, client: AsyncBaseSocketModeClient, message: dict[str, Any], raw: str | None) -> None:
        if message.get("type") == "hello":
            self._hello.set()
