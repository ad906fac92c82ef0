"""Runs the console inside a larger program: bind, serve, stop, without taking its signals."""

import asyncio
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import replace
from typing import Any

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.server import ServerState

from agents.domain.errors import OverlordError, SettingsProblem
from bot.network.doors import BACKLOG, Doorkeeper, Visit, let_queue
from bot.platforms.console.options import ConsoleOptions
from bot.platforms.console.server import make_app
from bot.query_api import Desk

PATIENCE = 5  # seconds that a request under way may still take when the program ends


class Connection(H11Protocol):
    """Watched by the doorkeeper. Its requests know the peer, under `peer` in their state, as the transport names it."""

    def __init__(
        self,
        config: uvicorn.Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> None:
        super().__init__(config, server_state, dict(app_state), _loop)
        self._visit: Visit | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        keeper: Doorkeeper = self.app_state["keeper"]
        self._visit = keeper.admit(transport)
        self.app_state["peer"] = self._visit.peer if self._visit else None
        super().connection_made(transport)

    def data_received(self, data: bytes) -> None:
        if self._visit:
            self._visit.speaks()
            super().data_received(data)
            self._look()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self._visit and self.conn.their_state is h11.IDLE:
            self._visit.rests()
        self._look()

    def pause_writing(self) -> None:
        super().pause_writing()
        if self._visit:
            self._visit.stalls()

    def resume_writing(self) -> None:
        super().resume_writing()
        if self._visit:
            self._visit.takes()

    def connection_lost(self, exc: Exception | None) -> None:
        if self._visit:
            self._visit.leaves()
        super().connection_lost(exc)

    def _look(self) -> None:
        if self._visit and self.conn.their_state not in (h11.IDLE, h11.SEND_BODY):
            self._visit.is_heard()


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.ready = asyncio.Event()
        self._asked_to_end = asyncio.Event()

    async def main_loop(self) -> None:
        """Uvicorn looks ten times a second whether it shall end. Here it is told."""
        await self._asked_to_end.wait()

    def end(self) -> None:
        self.should_exit = True
        self._asked_to_end.set()

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
    keeper = Doorkeeper("console", options.limits, options.look_up, options.proxies)
    app = make_app(desk, options, keeper)
    config = uvicorn.Config(
        app,
        http=Connection,
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,  # whoever is at the other end is known from the connection
        backlog=BACKLOG,
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
        let_queue(bound.fileno())
        host = f"[{options.host}]" if ":" in options.host else options.host
        yield f"http://{host}:{options.port}"
    finally:
        app.state.stopping.set()
        server.end()
        await serving
        keeper.close()
        bound.close()


def _bound(options: ConsoleOptions) -> socket.socket:
    """Bound before the server starts, so that a port in use is told in words."""
    family = socket.AF_INET6 if ":" in options.host else socket.AF_INET
    # named as TCP, or asyncio leaves Nagle on, and each answer in two parts waits 40 ms for its acknowledgement
    made = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
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
