"""The console as a web application, and the server that runs it inside the program without taking its signals.

To stop it: set `app.state.stopping`, then end the server. Open pages hold a stream each, and a server waits for its
connections; the event ends those streams at once.
"""

import asyncio
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import replace
from typing import Any

import h11
import uvicorn
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.server import ServerState

from agents.domain.errors import OverlordError, SettingsProblem
from bot.network import BACKLOG, ConnectionLimiter, TrackedConnection, let_queue
from bot.platforms.console import rendering, stream
from bot.platforms.console.actions import Actions
from bot.platforms.console.forms.login import Login
from bot.platforms.console.guard import Forwarded, Guard
from bot.platforms.console.pages import Pages
from bot.platforms.console.sign_in import Authenticator, ConsoleOptions, Identity, wants_json
from bot.queries import Endpoint
from bot.queries.query_api import QueryApi

PATIENCE = 5  # seconds for open requests to finish when the program ends
View = Callable[[Request], Awaitable[Response]]


def make_app(queries: QueryApi, options: ConsoleOptions, limiter: ConnectionLimiter) -> Starlette:
    auth, changes, stopping = Authenticator(options), stream.Changes(queries), asyncio.Event()
    pages = Pages(queries, options, changes)

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[dict[str, ConnectionLimiter]]:
        following = stream.start(changes)
        yield {"limiter": limiter}
        stopping.set()
        following.cancel()
        with suppress(asyncio.CancelledError):
            await following

    app = Starlette(
        routes=[
            *_routes(pages, Actions(queries, auth, pages, changes), Login(auth, pages)),
            Route("/changes", stream.endpoint(changes, stopping, auth, queries)),
            Mount("/static", StaticFiles(directory=rendering.HERE / "static")),
            *(Route(path, _health_view(extra)) for path, extra in options.extra.items()),
        ],
        middleware=[
            *([Middleware(Forwarded, proxies=options.proxies)] if options.proxies else []),
            Middleware(Guard, options=options),
            Middleware(Identity, auth=auth),
        ],
        exception_handlers={
            HTTPException: _show_problem,
            OverlordError: _show_trouble,
            ClientDisconnect: _client_left,
        },
        lifespan=lifespan,
    )
    app.state.stopping, app.state.pages = stopping, pages
    return app


def _routes(pages: Pages, actions: Actions, login: Login) -> list[BaseRoute]:
    read: dict[str, View] = {
        "/": pages.home,
        "/c/{name}": pages.channel,
        "/direct": pages.direct,
        "/thread/{thread:path}": pages.thread,
        "/needs": pages.needs,
        "/tasks": pages.tasks,
        "/task/{task}": pages.task,
        "/task/{task}/kept/{name}": pages.kept_file,
        "/pulls/{project}/{number}": pages.pull,
        "/named": pages.naming,
        "/learning": pages.learning,
        "/figures": pages.figures,
        "/roles": pages.roles,
        "/roles/{role}": pages.role,
        "/login": login.page,
        "/sessions": login.sessions,
    }
    send: dict[str, View] = {
        "/say": actions.say,
        "/edit": actions.edit,
        "/press": actions.press,
        "/named": actions.name,
        "/task/{task}/kept/{name}": actions.comment,
        "/ask": actions.ask,
        "/table": actions.table,
        "/fields": actions.several,
        "/login": login.enter,
        "/logout": login.leave,
        "/sessions": login.end,
    }
    return [
        *(Route(path, view, methods=["GET"]) for path, view in read.items()),
        *(Route(path, view, methods=["POST"]) for path, view in send.items()),
    ]


def _health_view(extra: Endpoint) -> View:
    async def answer(request: Request) -> Response:
        said = await extra()
        return Response(said.text, said.status, media_type=said.media)

    return answer


async def _show_problem(request: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 500
    words = error.detail if isinstance(error, HTTPException) else "Something went wrong."
    if wants_json(request):
        return JSONResponse({"error": words}, status)
    if not hasattr(request.state, "viewer"):  # refused before anybody was known
        return PlainTextResponse(words, status)
    pages: Pages = request.app.state.pages
    return await pages.show(request, "problem.html", status=status, title="Not here", words=words)


async def _show_trouble(request: Request, problem: Exception) -> Response:
    """The store cannot be read at the moment: says so without querying it again."""
    if wants_json(request):
        return JSONResponse({"error": str(problem)}, 503)
    pages: Pages = request.app.state.pages
    return await pages.show(request, "trouble.html", status=503, title="One moment", problem=problem)


async def _client_left(request: Request, gone: Exception) -> Response:
    """The client disconnected before it sent the whole request: not worth a log line."""
    return Response(status_code=400)


class Connection(H11Protocol):
    """A connection that is counted; its requests have the transport's peer as `peer` in their state."""

    def __init__(
        self,
        config: uvicorn.Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> None:
        super().__init__(config, server_state, dict(app_state), _loop)
        self._tracked: TrackedConnection | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        limiter: ConnectionLimiter = self.app_state["limiter"]
        self._tracked = limiter.admit(transport)
        self.app_state["peer"] = self._tracked.peer if self._tracked else None
        super().connection_made(transport)

    def data_received(self, data: bytes) -> None:
        if self._tracked:
            self._tracked.read()
            super().data_received(data)
            self._look()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self._tracked and self.conn.their_state is h11.IDLE:
            self._tracked.wait()
        self._look()

    def pause_writing(self) -> None:
        super().pause_writing()
        if self._tracked:
            self._tracked.stall()

    def resume_writing(self) -> None:
        super().resume_writing()
        if self._tracked:
            self._tracked.resume()

    def connection_lost(self, exc: Exception | None) -> None:
        if self._tracked:
            self._tracked.close()
        super().connection_lost(exc)

    def _look(self) -> None:
        if self._tracked and self.conn.their_state not in (h11.IDLE, h11.SEND_BODY):
            self._tracked.answer()


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.ready = asyncio.Event()
        self._end = asyncio.Event()

    async def main_loop(self) -> None:
        """Waits for `end`, where uvicorn polls ten times a second."""
        await self._end.wait()

    def end(self) -> None:
        self.should_exit = True
        self._end.set()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.ready.set()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Installs no signal handlers: the program around has its own."""
        yield


@asynccontextmanager
async def running(queries: QueryApi, options: ConsoleOptions) -> AsyncIterator[str]:
    """Serve while the block runs; yields the address. Port 0 takes any free one."""
    bound = _bind(options)
    options = replace(options, port=bound.getsockname()[1])
    limiter = ConnectionLimiter("console", options.limits, options.look_up, options.proxies)
    app = make_app(queries, options, limiter)
    config = uvicorn.Config(
        app,
        http=Connection,
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,  # guard.Forwarded reads them
        backlog=BACKLOG,
        timeout_graceful_shutdown=PATIENCE,
    )
    server = _Server(config)
    serving = asyncio.create_task(_serve(server, bound, options))
    serving.add_done_callback(lambda _: server.ready.set())  # one that ends before it is ready must not be waited for
    try:
        await server.ready.wait()
        if serving.done():
            serving.result()
            raise OverlordError("The console ended while it started", next_step="The log says why.")
        let_queue(bound.fileno())
        yield options.address
    finally:
        app.state.stopping.set()
        server.end()
        try:
            await serving
        finally:
            limiter.close()
            bound.close()


def _bind(options: ConsoleOptions) -> socket.socket:
    """Binds before the server starts, so that a port in use becomes a readable error."""
    family = socket.AF_INET6 if ":" in options.host else socket.AF_INET
    # named as TCP, or asyncio leaves Nagle on, and each answer in two parts waits 40 ms for its acknowledgement
    made = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        made.bind((options.host, options.port))
    except OSError as problem:
        made.close()
        raise _cannot_listen(options, problem) from problem
    return made


async def _serve(server: _Server, bound: socket.socket, options: ConsoleOptions) -> None:
    """Another program may begin to listen after we took the port and before we listen there ourselves."""
    try:
        await server.serve(sockets=[bound])
    except OSError as problem:
        raise _cannot_listen(options, problem) from problem


def _cannot_listen(options: ConsoleOptions, problem: OSError) -> SettingsProblem:
    return SettingsProblem(
        f"The console cannot listen on {options.host} port {options.port} ({problem.strerror})",
        next_step="Stop what uses it, or set OVERLORD_CONSOLE_PORT to another port.",
    )
