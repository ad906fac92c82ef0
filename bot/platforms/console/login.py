"""Signing in with a token, and out again, where the console is open to more than this machine."""

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from bot.platforms.console.actions import fields
from bot.platforms.console.identity import Door, safe_next
from bot.platforms.console.pages import Pages
from bot.platforms.console.sessions import Brake, Session, hash_of


class Login:
    def __init__(self, door: Door, pages: Pages) -> None:
        self._door = door
        self._pages = pages
        self._brake = Brake()

    async def page(self, request: Request) -> Response:
        return await self._page(request, safe_next(request.query_params.get("next", "/")), problem="")

    async def enter(self, request: Request) -> Response:
        form, options = await fields(request), self._door.options
        onward = safe_next(form.get("next", "/"))
        if options.sign_in is None:
            return RedirectResponse("/", 303)
        if not self._door.stands(request, form.get("csrf", "")):
            return await self._page(request, onward, problem="This page was open too long. Try again.", status=400)
        address = request.client.host if request.client else ""
        if not self._brake.allows(address, options.now()):
            return await self._page(request, onward, problem="Too many tries. Wait a minute.", status=429)
        token = form.get("token", "").strip()
        login = await options.sign_in(token)
        if login is None:
            words = "That token is not known here. Ask the operator for a new one."
            return await self._page(request, onward, problem=words, status=403)
        session = Session(login=login, token_hash=hash_of(token), at=int(options.now().timestamp()))
        response = RedirectResponse(onward, 303)
        self._door.keep(response, request, (self._door.session_cookie, self._door.seal.issue(session)))
        return response

    async def leave(self, request: Request) -> Response:
        form = await fields(request)
        response = RedirectResponse("/login", 303)
        if self._door.stands(request, form.get("csrf", "")):
            response.delete_cookie(self._door.session_cookie, httponly=True, samesite="strict")
        return response

    async def _page(self, request: Request, onward: str, *, problem: str, status: int = 200) -> Response:
        return await self._pages.show(
            request, "login.html", status=status, title="Sign in", problem=problem, onward=onward
        )
