"""Runs the console inside a larger program: bind, serve, stop, without taking its signals."""

import asyncio
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import replace
from typing import Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.server import ServerState

from agents.domain.errors import OverlordError, SettingsProblem
from bot.desk import Desk
from bot.platforms.console.options import ConsoleOptions
from bot.platforms.console.server import make_app

PATIENCE = 5  # seconds that a request under way may still take when the program ends


class Connection(H11Protocol):
    """Its requests share a note, under `connection` in their state: what was found out about it is found out once."""

    def __init__(
        self,
        config: uvicorn.Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> None:
        super().__init__(config, server_state, {**app_state, "connection": {}}, _loop)


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.ready = asyncio.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.ready.set()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Signals belong to the program around us."""
        yield


@asynccontextmanager
async def running(desk: Desk, options: ConsoleOptions) -> AsyncIterator[str]:
    """Serve while the block runs; yields the address. Port 0 takes any free one."""
    bound = _bound(options)
    options = replace(options, port=bound.getsockname()[1])
    app = make_app(desk, options)
    config = uvicorn.Config(
        app,
        http=Connection,
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=PATIENCE,
    )
    server = _Server(config)
    serving = asyncio.create_task(server.serve(sockets=[bound]))
    serving.add_done_callback(lambda _: server.ready.set())  # one that ends before it is ready must not be waited for
    try:
        await server.ready.wait()
        if serving.done():
            serving.result()
            raise OverlordError("The console ended while it started", next_step="The log says why.")
        host = f"[{options.host}]" if ":" in options.host else options.host
        yield f"http://{host}:{options.port}"
    finally:
        app.state.stopping.set()
        server.should_exit = True
        await serving
        bound.close()


def _bound(options: ConsoleOptions) -> socket.socket:
    """Bound before the server starts, so that a port in use is told in words."""
    family = socket.AF_INET6 if ":" in options.host else socket.AF_INET
    made = socket.socket(family)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        made.bind((options.host, options.port))
    except OSError as problem:
        made.close()
        raise SettingsProblem(
            f"The console cannot listen on {options.host} port {options.port} ({problem.strerror})",
            next_step="Stop what uses it, or set OVERLORD_CONSOLE_PORT to another port.",
        ) from problem
    return made
