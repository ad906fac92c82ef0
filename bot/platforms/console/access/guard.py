"""Middleware for every request: checks host, origin and size of the body, and sets security headers."""

from email.utils import formatdate

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from bot.platforms.console.options import ConsoleOptions

BODY_LIMIT = 64 * 1024
SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
HEADERS = {
    "Content-Security-Policy": "default-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'",
    "X-Frame-Options": "DENY",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


class Guard:
    """Outermost middleware. What it refuses never reaches a page."""

    def __init__(self, app: ASGIApp, options: ConsoleOptions) -> None:
        self._app = app
        self._hosts, self._open_paths = options.hosts, options.open_paths

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":  # the lifespan; a websocket finds no route
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        answer = self._refusal(scope, headers) or self._app
        await answer(scope, _capped(receive), _careful(send, scope["path"]))

    def _refusal(self, scope: Scope, headers: Headers) -> PlainTextResponse | None:
        if scope["path"] in self._open_paths:
            return None
        if headers.get("host", "") not in self._hosts:
            return _no(421, "This console does not answer to that name. Open it by its own address.")
        if scope["method"] in SAFE:
            return None
        if not is_same_origin(scope, headers):
            return _no(403, "This was sent from another page. Open the console itself and try again.")
        if int(headers.get("content-length", "0")) > BODY_LIMIT:
            return _no(413, "That is too much for one message. Send it in parts.")
        return None


def is_same_origin(scope: Scope, headers: Headers) -> bool:
    """The browser's own word on where a form was. Old ones send only Origin, plain-HTTP pages only that too."""
    site, origin = headers.get("sec-fetch-site"), headers.get("origin")
    ours = f"{scope['scheme']}://{headers.get('host', '')}"
    if site is not None:
        return site == "same-origin" and origin in (None, "null", ours)
    return origin == ours


def _no(status: int, words: str) -> PlainTextResponse:
    return PlainTextResponse(words, status_code=status)


def _capped(receive: Receive) -> Receive:
    taken = 0

    async def capped() -> Message:
        nonlocal taken
        message = await receive()
        taken += len(message.get("body", b""))
        if taken > BODY_LIMIT:
            raise HTTPException(413, "That is too much for one message. Send it in parts.")
        return message

    return capped


def _careful(send: Send, path: str) -> Send:
    async def careful(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            headers.update(HEADERS)
            headers["Date"] = formatdate(usegmt=True)
            # what we ship may be kept if asked about again; what people say may not be kept at all
            headers["Cache-Control"] = "no-cache" if path.startswith("/static/") else "no-store"
        await send(message)

    return careful
