"""Middleware before everything else: which hosts, origins and sizes are taken, and whose address a proxy tells."""

from collections.abc import Iterable
from email.utils import formatdate
from ipaddress import ip_network

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from bot.network import Ip, Network, read_address
from bot.platforms.console.sign_in import OPEN_PATHS, ConsoleOptions

BODY_LIMIT = 64 * 1024
NOT_THAT_NAME = (
    "This console does not answer to that name. Open it by its own address, or have the operator add the name: "
    "OVERLORD_CONSOLE_NAMES."
)
TOO_LARGE = "That is too much for one message. Send it in parts."
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
    """Refuses requests for other hosts, from other origins, or with too large a body."""

    def __init__(self, app: ASGIApp, options: ConsoleOptions) -> None:
        self._app = app
        self._hosts = options.hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":  # the lifespan; a websocket finds no route
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        answer = self._refusal(scope, headers) or self._app
        await answer(scope, _limit_body(receive), _add_headers(send, scope["path"]))

    def _refusal(self, scope: Scope, headers: Headers) -> PlainTextResponse | None:
        if scope["path"] in OPEN_PATHS:
            return None
        if headers.get("host", "") not in self._hosts:
            return PlainTextResponse(NOT_THAT_NAME, 421)
        if scope["method"] in SAFE:
            return None
        if not is_same_origin(scope, headers):
            return PlainTextResponse("This was sent from another page. Open the console itself and try again.", 403)
        if int(headers.get("content-length", "0")) > BODY_LIMIT:
            return PlainTextResponse(TOO_LARGE, 413)
        return None


def is_same_origin(scope: Scope, headers: Headers) -> bool:
    """By Sec-Fetch-Site, or by Origin where the browser is old or the page came over plain HTTP."""
    site, origin = headers.get("sec-fetch-site"), headers.get("origin")
    ours = f"{scope['scheme']}://{headers.get('host', '')}"
    if site is not None:
        return site == "same-origin" and origin in (None, "null", ours)
    return origin == ours


def _limit_body(receive: Receive) -> Receive:
    taken = 0

    async def receive_limited() -> Message:
        nonlocal taken
        message = await receive()
        taken += len(message.get("body", b""))
        if taken > BODY_LIMIT:
            raise HTTPException(413, TOO_LARGE)
        return message

    return receive_limited


def _add_headers(send: Send, path: str) -> Send:
    async def send_with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            headers.update(HEADERS)
            headers["Date"] = formatdate(usegmt=True)
            # static files may be cached and revalidated; pages may not be stored
            headers["Cache-Control"] = "no-cache" if path.startswith("/static/") else "no-store"
        await send(message)

    return send_with_headers


class Forwarded:
    """Middleware: the client's address behind the operator's proxies, trusted only in what those proxies added.

    Not installed without a configured proxy; then no forwarded header counts.
    """

    def __init__(self, app: ASGIApp, proxies: tuple[str, ...]) -> None:
        self._app = app
        self._proxies: tuple[Network, ...] = tuple(ip_network(proxy) for proxy in proxies)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope.get("client") and self._trusts(read_address(scope["client"][0])):
            headers = Headers(scope=scope)
            client = self._behind(scope["client"][0], headers.getlist("x-forwarded-for"))
            scheme = headers.getlist("x-forwarded-proto")[-1:]
            scope = {**scope, "client": (client, 0)}
            if scheme and scheme[0] in ("http", "https"):
                scope["scheme"] = scheme[0]
        await self._app(scope, receive, send)

    def _behind(self, proxy: str, forwarded: Iterable[str]) -> str:
        """Each proxy appends the address it saw: the last address that is no proxy of ours."""
        for written in reversed(",".join(forwarded).split(",")):
            address = read_address(written.strip())
            if address is None:
                break
            proxy = str(address)
            if not self._trusts(address):
                break
        return proxy

    def _trusts(self, address: Ip | None) -> bool:
        return address is not None and any(address in network for network in self._proxies)
