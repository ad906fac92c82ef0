"""Signed HTTP: nothing is parsed before its signature was checked over the raw bytes."""

import hashlib
import hmac
import re
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager

from aiohttp import web

from agents.domain.errors import SettingsProblem
from bot.platforms.slack.options import SlackOptions

PATH = "/slack/events"
BODY_MOST = 1024 * 1024
WINDOW = 300  # seconds that a request may be old or ahead
_STAMP = re.compile(r"[0-9]{1,12}", re.ASCII)

Take = Callable[[str, Mapping[str, str]], Awaitable[web.Response]]


class Unverified(Exception):
    """It does not come from Slack, or not now."""


def verify(headers: Mapping[str, str], body: bytes, secret: str, now: float) -> None:
    stamp, given = headers.get("X-Slack-Request-Timestamp", ""), headers.get("X-Slack-Signature", "")
    if not _STAMP.fullmatch(stamp) or abs(now - int(stamp)) > WINDOW:
        raise Unverified("an old or odd timestamp")
    digest = hmac.new(secret.encode(), b"v0:" + stamp.encode() + b":" + body, hashlib.sha256).hexdigest()
    if not hmac.compare_digest(f"v0={digest}".encode(), given.encode("utf-8", "surrogateescape")):
        raise Unverified("a wrong signature")


async def _raw(request: web.Request) -> bytes:
    """The body, if it is no larger than anything Slack sends."""
    if not request.headers.get("X-Slack-Signature") or (request.content_length or 0) > BODY_MOST:
        raise Unverified("no signature, or too much")
    body = b""
    async for chunk in request.content.iter_chunked(64 * 1024):
        body += chunk
        if len(body) > BODY_MOST:
            raise Unverified("too much")
    return body


def application(secret: str, take: Take) -> web.Application:
    async def receive(request: web.Request) -> web.Response:
        try:
            body = await _raw(request)
            verify(request.headers, body, secret, time.time())
        except Unverified:
            return web.Response(status=401, text="not signed by Slack")
        try:
            return await take(body.decode(), request.headers)
        except (ValueError, RecursionError):
            return web.Response(status=400, text="not a request I know")

    app = web.Application()
    app.router.add_post(PATH, receive)
    return app


@asynccontextmanager
async def open_door(options: SlackOptions, take: Take) -> AsyncIterator[str]:
    """Serve while the block runs; yields the address. Port 0 takes any free one."""
    app = application(options.signing_secret, take)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=1)
    await runner.setup()
    try:
        await _listen(runner, options)
        host, port = runner.addresses[0][:2]
        yield f"http://{host}:{port}{PATH}"
    finally:
        await runner.cleanup()


async def _listen(runner: web.AppRunner, options: SlackOptions) -> None:
    try:
        await web.TCPSite(runner, options.http_host, options.http_port).start()
    except OSError as problem:
        raise SettingsProblem(
            f"Slack's events cannot be heard on {options.http_host} port {options.http_port} ({problem.strerror})",
            next_step="Stop what uses it, or set OVERLORD_HTTP_PORT to another port.",
        ) from problem
