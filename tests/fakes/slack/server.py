"""The HTTP side of Slack: tokens, bodies as the real client sends them, and faults on the way."""

import asyncio
import json
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from aiohttp import web

from tests.fakes.slack.api import Caller
from tests.fakes.slack.api_reading import WholeApi
from tests.fakes.slack.faults import AFTER, Fault, Faults, Pace, Plan
from tests.fakes.slack.world import ApiError, World

BOT_TOKEN, APP_TOKEN = "xoxb-test-bot-token", "xapp-test-app-token"
POSTS = ("chat.postMessage", "chat.postEphemeral")

Connect = Callable[[], str]
Listen = Callable[[web.Request], Awaitable[web.StreamResponse]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One request, as the server saw it."""

    method: str
    given: dict[str, Any]
    at: float
    accepted: bool  # it was done, whether or not the answer arrived
    error: str = ""


class Server:
    def __init__(self, world: World, api: WholeApi, scopes: frozenset[str], connect: Connect) -> None:
        self._world = world
        self._api = api
        self._connect = connect
        self.scopes = scopes
        self.tokens = {BOT_TOKEN}
        self.calls: list[Call] = []
        self.faults = Faults()
        self.pace = Pace()

    def application(self, listen: Listen) -> web.Application:
        app = web.Application(client_max_size=8 * 1024 * 1024)
        app.router.add_route("*", "/api/{method}", self._answer)
        app.router.add_post("/upload/{file}", self._upload)
        app.router.add_get("/link", listen)
        return app

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        method = request.match_info["method"]
        given = await _given(request)
        plan = self.faults.next(method)
        if plan and plan.fault not in AFTER:
            self._note(method, given, accepted=False, error=plan.fault)
            return _fault(request, plan)
        if method in POSTS and (wait := self.pace.wait(str(given.get("channel")), time.monotonic())):
            self._note(method, given, accepted=False, error="ratelimited")
            return _limited(wait)
        answer = self._done(method, given, _token(request, given))
        self._note(method, given, accepted=bool(answer["ok"]), error=answer.get("error", ""))
        if plan and plan.fault is Fault.SLOW:
            await asyncio.sleep(plan.seconds)
        elif plan:
            return _fault(request, plan)
        return web.json_response(answer, headers={"x-oauth-scopes": ",".join(sorted(self.scopes))})

    def _done(self, method: str, given: dict[str, Any], token: str) -> dict[str, Any]:
        try:
            if method == "apps.connections.open":
                return self._opened(token)
            if token == APP_TOKEN:
                raise ApiError("not_allowed_token_type")
            if token not in self.tokens:
                raise ApiError("invalid_auth" if token else "not_authed")
            return self._api.call(method, given, Caller(self.scopes))
        except ApiError as refused:
            return {"ok": False, "error": refused.error, **refused.extra}

    def _opened(self, token: str) -> dict[str, Any]:
        if token != APP_TOKEN:
            raise ApiError("not_allowed_token_type" if token in self.tokens else "invalid_auth")
        return {"ok": True, "url": self._connect()}

    async def _upload(self, request: web.Request) -> web.StreamResponse:
        file = self._world.files.get(request.match_info["file"])
        data = await request.read()
        if file is None or len(data) != file["length"]:
            return web.Response(status=400, text="wrong length")
        file["data"] = data
        return web.Response(text=f"OK - {len(data)}")

    def _note(self, method: str, given: dict[str, Any], *, accepted: bool, error: str) -> None:
        self.calls.append(Call(method=method, given=given, at=time.monotonic(), accepted=accepted, error=error))


async def _given(request: web.Request) -> dict[str, Any]:
    given: dict[str, Any] = dict(request.query)
    if request.content_type == "application/json":
        given |= json.loads(await request.text() or "{}")
    elif request.can_read_body:
        given |= dict(await request.post())
    return given


def _token(request: web.Request, given: dict[str, Any]) -> str:
    return request.headers.get("Authorization", "").removeprefix("Bearer ") or str(given.get("token", ""))


def _fault(request: web.Request, plan: Plan) -> web.StreamResponse:
    match plan.fault:
        case Fault.RESET_BEFORE | Fault.RESET_AFTER:
            assert request.transport is not None
            request.transport.abort()
            return web.Response()
        case Fault.ERROR_BEFORE | Fault.ERROR_AFTER:
            return web.Response(status=500, text="<html>500</html>", content_type="text/html")
        case Fault.RATE_LIMITED:
            return _limited(plan.seconds)
        case Fault.NOT_JSON:
            return web.Response(text="<html>Sign in to the hotel's network</html>", content_type="text/html")
        case Fault.PLAIN_TEXT:
            return web.Response(text="upstream connect error")
        case _:
            return web.json_response({"ok": False, "error": plan.detail})


def _limited(seconds: float) -> web.Response:
    headers = {"Retry-After": str(max(1, round(seconds)))} if seconds >= 1 else {"Retry-After": f"{seconds}"}
    return web.json_response({"ok": False, "error": "ratelimited"}, status=429, headers=headers)
