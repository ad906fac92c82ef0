"""Identifies the reader: the operator on loopback, or somebody who signed in with a token."""

import secrets
from urllib.parse import quote

from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from bot.network.peers import Peer
from bot.platforms.console.access.sessions import LIFETIME, Seal, Viewer, hash_of, same
from bot.platforms.console.options import ConsoleOptions

# A link from elsewhere comes without our strict cookie; asking once more from our own page brings it.
BOUNCE = '<!doctype html><meta http-equiv="refresh" content="0"><title>Overlord</title><p>One moment …'


class Door:
    """Knows readers by their cookies. Cookies are shared between ports, so their names carry ours."""

    def __init__(self, options: ConsoleOptions) -> None:
        self.options = options
        self.seal = Seal(options.secret)
        self.session_cookie = f"overlord_{options.port}"
        self.login_cookie = f"overlord_login_{options.port}"

    async def viewer(self, request: Request) -> Viewer | None:
        if self.options.sessions is None:
            login = self.options.login
            return Viewer(login=login, csrf=self.seal.csrf(self.seal.loopback(login)))
        cookie = request.cookies.get(self.session_cookie, "")
        session = await self.options.sessions.find_session(hash_of(cookie)) if cookie else None
        return Viewer(login=session.login, csrf=self.seal.csrf(cookie), session=session.id) if session else None

    def stands(self, request: Request, token: str) -> bool:
        """Whether a form was ours: its token must belong to the cookie that came with it."""
        name = self.login_cookie if request.url.path == "/login" else self.session_cookie
        cookie = request.cookies.get(name, "")
        return bool(cookie) and same(token, self.seal.csrf(cookie))

    def keep(self, response: Response, request: Request, cookie: tuple[str, str]) -> None:
        response.set_cookie(
            *cookie,
            max_age=int(LIFETIME.total_seconds()),
            httponly=True,
            samesite="strict",
            secure=request.url.scheme == "https",
        )

    def missing(self, request: Request) -> tuple[str, str] | None:
        """The cookie that this reader should have and does not."""
        if self.options.sessions is None:
            due = (self.session_cookie, self.seal.loopback(self.options.login))
            return None if request.cookies.get(due[0]) == due[1] else due
        if request.url.path == "/login" and self.login_cookie not in request.cookies:
            return self.login_cookie, secrets.token_urlsafe(24)
        return None

    def is_open(self, path: str) -> bool:
        return path in self.options.open_paths or path.startswith("/static/")


class Identity:
    """Middleware: nobody unknown gets further than the login page."""

    def __init__(self, app: ASGIApp, door: Door) -> None:
        self._app = app
        self._door = door

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or self._door.is_open(scope["path"]):
            await self._app(scope, receive, send)
            return
        request = Request(scope)
        if self._door.options.sessions is None and not await is_own_user(scope):
            await PlainTextResponse("This console belongs to another user of this machine.", 403)(scope, receive, send)
            return
        viewer = await self._door.viewer(request)
        due = self._door.missing(request)
        if viewer is None and scope["path"] == "/login":
            cookie = due[1] if due else request.cookies[self._door.login_cookie]
            viewer = Viewer(login="", csrf=self._door.seal.csrf(cookie))
        if viewer is None:
            await _turned_away(request)(scope, receive, send)
            return
        scope.setdefault("state", {})["viewer"] = viewer
        await self._app(scope, receive, self._keeping(send, request, due) if due else send)

    def _keeping(self, send: Send, request: Request, due: tuple[str, str]) -> Send:
        carrier = Response()
        self._door.keep(carrier, request, due)

        async def keeping(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).append("set-cookie", carrier.headers["set-cookie"])
            await send(message)

        return keeping


def viewer_of(request: Request) -> Viewer:
    viewer: Viewer = request.state.viewer
    return viewer


def wants_json(request: Request) -> bool:
    return "application/json" in request.headers.get("accept", "")


def safe_next(path: str) -> str:
    """Only a path of ours: never another site."""
    return path if path.startswith("/") and not path.startswith(("//", "/\\")) else "/"


async def is_own_user(scope: Scope) -> bool:
    """By the connection itself. A request that says nothing of its connection is nobody's."""
    peer: Peer | None = scope.get("state", {}).get("peer")
    return peer is not None and await peer.is_ours()


def _turned_away(request: Request) -> Response:
    if wants_json(request) or request.url.path == "/changes":
        return JSONResponse({"error": "You are signed out. Open this page in a new tab and sign in."}, 401)
    if request.headers.get("sec-fetch-site") == "cross-site" and request.method == "GET":
        return HTMLResponse(BOUNCE)
    here = request.url.path if request.method == "GET" else "/"
    return RedirectResponse(f"/login?next={quote(here)}", 303)
