"""Signs people in and out, and lists their sessions."""

import secrets
from dataclasses import dataclass, field

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from agents.domain.text.sanitize import clean, one_line
from bot.platforms.console.forms.fields import fields
from bot.platforms.console.pages import Pages
from bot.platforms.console.sign_in import LIFETIME, Authenticator, LoginLimiter, hash_of, safe_next, viewer_of
from store.chat.people import Session

NAME_MOST, AGENT_MOST = 80, 160  # characters


@dataclass(frozen=True, slots=True)
class Login:
    _auth: Authenticator
    _pages: Pages
    _limiter: LoginLimiter = field(default_factory=LoginLimiter)

    async def page(self, request: Request) -> Response:
        return await self._page(request, safe_next(request.query_params.get("next", "/")), problem="")

    async def enter(self, request: Request) -> Response:
        form, options = await fields(request), self._auth.options
        onward, login = safe_next(form.get("next", "/")), form.get("name", "").strip()[:NAME_MOST]
        if options.sessions is None:
            return RedirectResponse("/", 303)
        if not self._auth.is_our_form(request, form.get("csrf", "")):
            return await self._page(request, onward, problem="This page was open too long. Try again.", status=400)
        address = request.client.host if request.client else ""
        if not self._limiter.allows(login, address, options.now()):
            return await self._page(request, onward, problem="Too many tries. Wait a minute.", status=429)
        cookie = secrets.token_urlsafe(32)
        session = Session(
            key=hash_of(cookie),
            login=login,
            began_at=options.now(),
            until=options.now() + LIFETIME,
            address=address,
            agent=one_line(clean(request.headers.get("user-agent", "")), AGENT_MOST),
        )
        if not await options.sessions.begin_session(session, hash_of(form.get("token", "").strip())):
            words = "That name and token are not known here. Ask the operator for a new token."
            return await self._page(request, onward, problem=words, status=403)
        response = RedirectResponse(onward, 303)
        self._auth.set_cookie(response, request, (self._auth.session_cookie, cookie))
        return response

    async def leave(self, request: Request) -> Response:
        """Ends the session itself, so that a copy of its cookie is worthless."""
        form, viewer, sessions = await fields(request), viewer_of(request), self._auth.options.sessions
        response = RedirectResponse("/login", 303)
        if sessions and self._auth.is_our_form(request, form.get("csrf", "")):
            await sessions.end_sessions(viewer.login, viewer.session)
            response.delete_cookie(self._auth.session_cookie, httponly=True, samesite="strict")
        return response

    async def sessions(self, request: Request) -> Response:
        """Lists the sessions, each with a button that ends it."""
        viewer, sessions = viewer_of(request), self._auth.options.sessions
        if sessions is None:
            raise HTTPException(404, "Nobody signs in here.")
        admin = await sessions.administers(viewer.account)
        found = await sessions.sessions("" if admin else viewer.login)
        return await self._pages.show(
            request, "sessions.html", here="/sessions", title="Sessions", sessions=found, admin=admin
        )

    async def end(self, request: Request) -> Response:
        """Ends one or all of the reader's own sessions; an admin may end one of somebody else's."""
        form, viewer, sessions = await fields(request), viewer_of(request), self._auth.options.sessions
        if sessions and self._auth.is_our_form(request, form.get("csrf", "")):
            other = form.get("login", "") if await sessions.administers(viewer.account) else ""
            which = "" if "all" in form else form.get("session") or viewer.session
            await sessions.end_sessions((which and other) or viewer.login, which)
        return RedirectResponse("/sessions", 303)

    async def _page(self, request: Request, onward: str, *, problem: str, status: int = 200) -> Response:
        return await self._pages.show(
            request, "login.html", status=status, title="Sign in", problem=problem, onward=onward
        )
