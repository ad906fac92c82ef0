"""Who may use the console, and as whom: its options, cookies and CSRF tokens, and the middleware that checks them."""

import hashlib
import hmac
import re
import secrets
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from urllib.parse import quote

from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from agents.domain.errors import SettingsProblem
from agents.domain.ids import Account
from agents.domain.limits import Limits
from bot.cards.opening import Opening
from bot.network import HERE, LookUp, Peer, neighbourhood
from bot.platforms.console import EVERYWHERE, LOOPBACK
from bot.queries import Endpoint
from bot.queries.people_queries import PeopleQueries

LIFETIME = timedelta(days=30)
TRIES = 10
WITHIN = timedelta(minutes=1)
REMEMBERED = 10_000  # pairs of account and address range; the oldest are dropped first
OPEN_PATHS = frozenset({"/healthz"})  # that anybody may read, whatever Host they ask for
# A link from elsewhere comes without our strict cookie; asking once more from our own page brings it.
BOUNCE = '<!doctype html><meta http-equiv="refresh" content="0"><title>Overlord</title><p>One moment …'
_PORT = re.compile(r":\d+$")


def needs_login(host: str, proxies: tuple[str, ...], look_up: LookUp | None) -> bool:
    """Whether people must sign in: unless it is certain that whoever connects is the operator's own user."""
    return host not in LOOPBACK or bool(proxies) or look_up is None


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsoleOptions:
    host: str = "127.0.0.1"
    port: int = 8765
    proxies: tuple[str, ...] = ()  # addresses and networks whose forwarded address counts; then everybody signs in
    limits: Limits = field(default_factory=Limits)
    look_up: LookUp | None = HERE  # who is at the other end on loopback; None: cannot be known here
    names: tuple[str, ...] = ()  # other Host headers it answers to, as a proxy sends them: "overlord.example"
    channels: Sequence[str] = ("general",)  # may still change
    login: str = "operator"  # who the reader is on loopback
    secret: bytes  # of this installation, at least 16 bytes: signs what forms carry, so they survive a restart
    sessions: PeopleQueries | None = None  # None: loopback, nobody signs in
    opening: Opening = field(default_factory=lambda: Opening(suggestions=()))
    now: Callable[[], datetime]
    extra: Mapping[str, Endpoint] = field(default_factory=dict)  # "/healthz", "/metrics"

    def __post_init__(self) -> None:
        if self.sessions is None and needs_login(self.host, self.proxies, self.look_up):
            raise SettingsProblem(
                f"The console would be open to everybody on {self.host}",
                next_step="Give each person a login token, or bind it to 127.0.0.1, without a proxy.",
            )
        if len(self.secret) < 16:
            raise SettingsProblem(
                "The console's secret is shorter than 16 bytes", next_step="Make it with secrets.token_bytes(32)."
            )

    @property
    def hosts(self) -> frozenset[str]:
        """Host headers that are ours. Anything else is a name somebody pointed at this address."""
        known = ("127.0.0.1", "localhost", "::1", self.host)
        bare = frozenset(f"[{name}]" if ":" in name else name for name in known)
        # a proxy sends a name as people type it; who comes here directly types the port too
        named = frozenset(name for name in self.names if not _PORT.search(name))
        with_port = frozenset(f"{name}:{self.port}" for name in bare | named)
        return with_port | frozenset(self.names) | (bare if self.port == 80 else frozenset())

    @property
    def address(self) -> str:
        """One that can be opened: "all addresses" is none."""
        host = self.host
        if host in EVERYWHERE:
            host = next((name for name in self.names if not _PORT.search(name)), "127.0.0.1")
        return f"http://{f'[{host}]' if ':' in host else host}:{self.port}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Viewer:
    """The person a page is made for."""

    login: str
    csrf: str
    session: str = ""  # its id, if they signed in with a token; so they can sign out

    @property
    def account(self) -> Account:
        return Account(f"console:{self.login}")

    @property
    def direct(self) -> str:
        """The channel in which they are alone with the bot."""
        return f"@{self.login}"


def sign(secret: bytes, purpose: str, text: str) -> str:
    return hmac.new(secret, f"{purpose}\x1f{text}".encode(), hashlib.sha256).hexdigest()


def hash_of(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


class LoginLimiter:
    """Ten login attempts a minute for each account and address range, so that guessing locks out nobody else."""

    def __init__(self) -> None:
        self._tries: dict[tuple[str, str], deque[datetime]] = {}

    def allows(self, login: str, address: str, now: datetime) -> bool:
        whose = (login, neighbourhood(address))
        tries = self._tries.pop(whose, deque())
        while tries and now - tries[0] >= WITHIN:
            tries.popleft()
        allowed = len(tries) < TRIES
        if allowed:
            tries.append(now)
        self._tries[whose] = tries
        if len(self._tries) > REMEMBERED:
            del self._tries[next(iter(self._tries))]
        return allowed


class Authenticator:
    """Identifies readers by their cookies. Browsers share cookies between ports, so the names contain ours."""

    def __init__(self, options: ConsoleOptions) -> None:
        self.options = options
        # the same for every window, so that a second one does not end the first
        self._loopback = sign(options.secret, "loopback", options.login)
        self.session_cookie = f"overlord_{options.port}"
        self.login_cookie = f"overlord_login_{options.port}"

    async def viewer(self, request: Request) -> Viewer | None:
        if self.options.sessions is None:
            return Viewer(login=self.options.login, csrf=self.csrf(self._loopback))
        cookie = request.cookies.get(self.session_cookie, "")
        session = await self.options.sessions.find_session(hash_of(cookie)) if cookie else None
        return Viewer(login=session.login, csrf=self.csrf(cookie), session=session.id) if session else None

    def csrf(self, cookie: str) -> str:
        return sign(self.options.secret, "csrf", cookie)

    def is_our_form(self, request: Request, token: str) -> bool:
        """Whether a form came from a page of ours: its CSRF token must belong to the cookie sent with it."""
        name = self.login_cookie if request.url.path == "/login" else self.session_cookie
        cookie = request.cookies.get(name, "")
        return bool(cookie) and hmac.compare_digest(token.encode(), self.csrf(cookie).encode())

    def set_cookie(self, response: Response, request: Request, cookie: tuple[str, str]) -> None:
        response.set_cookie(
            *cookie,
            max_age=int(LIFETIME.total_seconds()),
            httponly=True,
            samesite="strict",
            secure=request.url.scheme == "https",
        )

    def missing_cookie(self, request: Request) -> tuple[str, str] | None:
        """The cookie that this reader should have but does not send."""
        if self.options.sessions is None:
            due = (self.session_cookie, self._loopback)
            return None if request.cookies.get(due[0]) == due[1] else due
        if request.url.path == "/login" and self.login_cookie not in request.cookies:
            return self.login_cookie, secrets.token_urlsafe(24)
        return None


class Identity:
    """Middleware: lets readers who are not signed in see the login page only."""

    def __init__(self, app: ASGIApp, auth: Authenticator) -> None:
        self._app = app
        self._auth = auth

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] in OPEN_PATHS or scope["path"].startswith("/static/"):
            await self._app(scope, receive, send)
            return
        request = Request(scope)
        if self._auth.options.sessions is None and not await is_own_user(scope):
            await PlainTextResponse("This console belongs to another user of this machine.", 403)(scope, receive, send)
            return
        viewer = await self._auth.viewer(request)
        due = self._auth.missing_cookie(request)
        if viewer is None and scope["path"] == "/login":
            cookie = due[1] if due else request.cookies[self._auth.login_cookie]
            viewer = Viewer(login="", csrf=self._auth.csrf(cookie))
        if viewer is None:
            await _refuse(request)(scope, receive, send)
            return
        scope.setdefault("state", {})["viewer"] = viewer
        await self._app(scope, receive, self._send_cookie(send, request, due) if due else send)

    def _send_cookie(self, send: Send, request: Request, due: tuple[str, str]) -> Send:
        carrier = Response()
        self._auth.set_cookie(carrier, request, due)

        async def send_with_cookie(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).append("set-cookie", carrier.headers["set-cookie"])
            await send(message)

        return send_with_cookie


def viewer_of(request: Request) -> Viewer:
    viewer: Viewer = request.state.viewer
    return viewer


def wants_json(request: Request) -> bool:
    return "application/json" in request.headers.get("accept", "")


def safe_next(path: str) -> str:
    """The path if it is one of this site, otherwise `/`."""
    return path if path.startswith("/") and not path.startswith(("//", "/\\")) else "/"


async def is_own_user(scope: Scope) -> bool:
    """Whether the connection comes from the user that runs this program. False if the peer is not known."""
    peer: Peer | None = scope.get("state", {}).get("peer")
    return peer is not None and await peer.is_ours()


def _refuse(request: Request) -> Response:
    if wants_json(request) or request.url.path == "/changes":
        return JSONResponse({"error": "You are signed out. Open this page in a new tab and sign in."}, 401)
    if request.headers.get("sec-fetch-site") == "cross-site" and request.method == "GET":
        return HTMLResponse(BOUNCE)
    here = request.url.path if request.method == "GET" else "/"
    return RedirectResponse(f"/login?next={quote(here)}", 303)
