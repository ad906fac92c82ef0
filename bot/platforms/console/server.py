"""The console as a web application. To stop it: set `app.state.stopping`, then end the server.

Open pages hold a stream each, and a server waits for its connections; the event ends those streams at once.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles

from agents.domain.errors import OverlordError
from bot.network.doors import Doorkeeper
from bot.network.endpoints import Endpoint
from bot.platforms.console import stream
from bot.platforms.console.access.forwarded import Forwarded
from bot.platforms.console.access.guard import Guard
from bot.platforms.console.access.identity import Door, Identity, wants_json
from bot.platforms.console.access.login import Login
from bot.platforms.console.actions import Actions
from bot.platforms.console.options import ConsoleOptions
from bot.platforms.console.pages import Pages
from bot.platforms.console.rendering import page
from bot.query_api import Desk

View = Callable[[Request], Awaitable[Response]]


def make_app(desk: Desk, options: ConsoleOptions, keeper: Doorkeeper) -> Starlette:
    door, changes, stopping = Door(options), stream.Changes(desk), asyncio.Event()
    pages = Pages(desk, options, changes)

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[dict[str, Doorkeeper]]:
        following = stream.start(changes)
        yield {"keeper": keeper}
        stopping.set()
        following.cancel()
        with suppress(asyncio.CancelledError):
            await following

    app = Starlette(
        routes=[
            *_reading(pages),
            *_doing(Actions(desk, door, pages, changes), Login(door, pages)),
            Route("/changes", stream.endpoint(changes, stopping, door, desk)),
            Mount("/static", StaticFiles(directory=page.HERE / "static")),
            *(Route(path, _extra(extra)) for path, extra in options.extra.items()),
        ],
        middleware=[
            *([Middleware(Forwarded, proxies=options.proxies)] if options.proxies else []),
            Middleware(Guard, options=options),
            Middleware(Identity, door=door),
        ],
        exception_handlers={
            HTTPException: _problem_page(pages),
            OverlordError: _trouble_page(pages),
            ClientDisconnect: _nobody_there,
        },
        lifespan=lifespan,
    )
    app.state.stopping = stopping
    return app


def _reading(pages: Pages) -> list[BaseRoute]:
    return [
        Route("/", pages.home),
        Route("/c/{name}", pages.channel),
        Route("/direct", pages.direct),
        Route("/thread/{thread:path}", pages.thread),
        Route("/needs", pages.needs),
        Route("/tasks", pages.tasks),
        Route("/task/{task}", pages.task),
        Route("/task/{task}/kept/{name}", pages.kept_file),
        Route("/pulls/{project}/{number}", pages.pull),
    ]


def _doing(actions: Actions, login: Login) -> list[BaseRoute]:
    return [
        Route("/say", actions.say, methods=["POST"]),
        Route("/edit", actions.edit, methods=["POST"]),
        Route("/press", actions.press, methods=["POST"]),
        Route("/ask", actions.ask, methods=["POST"]),
        Route("/login", login.page, methods=["GET"]),
        Route("/login", login.enter, methods=["POST"]),
        Route("/logout", login.leave, methods=["POST"]),
        Route("/sessions", login.sessions, methods=["GET"]),
        Route("/sessions", login.end, methods=["POST"]),
    ]


def _extra(extra: Endpoint) -> View:
    async def answer(request: Request) -> Response:
        said = await extra()
        return Response(said.text, said.status, media_type=said.media)

    return answer


def _problem_page(pages: Pages) -> Callable[[Request, Exception], Awaitable[Response]]:
    async def problem(request: Request, error: Exception) -> Response:
        status = error.status_code if isinstance(error, HTTPException) else 500
        words = error.detail if isinstance(error, HTTPException) else "Something went wrong."
        if wants_json(request):
            return JSONResponse({"error": words}, status)
        if not hasattr(request.state, "viewer"):  # refused before anybody was known
            return PlainTextResponse(words, status)
        return await pages.show(request, "problem.html", status=status, title="Not here", words=words)

    return problem


def _trouble_page(pages: Pages) -> Callable[[Request, Exception], Awaitable[Response]]:
    """The desk could not be read just now: say so, without asking it for anything more."""

    async def trouble(request: Request, problem: Exception) -> Response:
        if wants_json(request):
            return JSONResponse({"error": str(problem)}, 503)
        return await pages.show(request, "trouble.html", status=503, title="One moment", problem=problem)

    return trouble


async def _nobody_there(request: Request, gone: Exception) -> Response:
    """They left before all of it was sent: that is theirs to do, and nothing for the log."""
    return Response(status_code=400)
