"""Socket Mode: links that work once, hello, envelopes, acks, and the ways in which a socket dies."""

import asyncio
import json
import secrets
from enum import StrEnum
from typing import Any

from aiohttp import WSMsgType, web

from tests.fakes.slack.world import APP


class Drop(StrEnum):
    """Five ways to lose a socket."""

    CLOSE = "a close frame"
    ABORT = "a reset connection"
    HALF_OPEN = "open, but neither side hears the other any more"
    REFRESH = "asked to disconnect"
    DEAD_LINK = "reset, and the next link does not work"


class Connection:
    def __init__(self, request: web.Request, socket: web.WebSocketResponse) -> None:
        self.request = request
        self.socket = socket
        self.deaf = asyncio.Event()

    async def send(self, message: dict[str, Any]) -> None:
        if self.deaf.is_set():
            return  # it goes into the void, as on a half-open socket
        try:
            await self.socket.send_str(json.dumps(message))
        except ConnectionError:
            return


class Sockets:
    def __init__(self) -> None:
        self.base = ""
        self.open: list[Connection] = []
        self.opened = 0
        self.dead_links = 0  # how many of the next links do not work
        self._links: set[str] = set()
        self._acks: dict[str, asyncio.Future[Any]] = {}
        self._turn = 0

    def link(self) -> str:
        ticket = secrets.token_hex(8)
        if self.dead_links:
            self.dead_links -= 1
        else:
            self._links.add(ticket)
        return f"{self.base.replace('http', 'ws', 1)}/link?ticket={ticket}&app_id={APP}"

    async def listen(self, request: web.Request) -> web.StreamResponse:
        ticket = request.query.get("ticket", "")
        if ticket not in self._links:
            return web.Response(status=404)
        self._links.remove(ticket)
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        connection = Connection(request, socket)
        self.open.append(connection)
        self.opened += 1
        about = {"host": "applink-1", "build_number": 1, "approximate_connection_time": 18_060}
        hello = {"type": "hello", "num_connections": len(self.open), "debug_info": about}
        await connection.send({**hello, "connection_info": {"app_id": APP}})
        try:
            await self._hear(connection)
        finally:
            if connection in self.open:
                self.open.remove(connection)
        return socket

    async def _hear(self, connection: Connection) -> None:
        deaf = asyncio.ensure_future(connection.deaf.wait())
        try:
            while True:
                heard = asyncio.ensure_future(connection.socket.receive())
                await asyncio.wait({heard, deaf}, return_when=asyncio.FIRST_COMPLETED)
                if deaf.done():
                    heard.cancel()
                    await self._until_gone(connection)
                    return
                message = heard.result()
                if message.type is not WSMsgType.TEXT:
                    return
                self._acknowledged(json.loads(message.data))
        finally:
            deaf.cancel()

    @staticmethod
    async def _until_gone(connection: Connection) -> None:
        """Nothing is read, so no ping is answered; the other side has to notice by itself."""
        # a transport has no event to wait for
        while connection.request.transport is not None and not connection.request.transport.is_closing():  # noqa: ASYNC110
            await asyncio.sleep(0.02)

    def _acknowledged(self, ack: dict[str, Any]) -> None:
        waiting = self._acks.pop(str(ack.get("envelope_id")), None)
        if waiting and not waiting.done():
            waiting.set_result(ack.get("payload"))

    async def deliver(self, envelope: dict[str, Any], within: float) -> tuple[bool, Any]:
        """Send to one of the connections in turn; whether it was acknowledged in time, and with what."""
        if not self.open:
            return False, None
        self._turn += 1
        connection = self.open[self._turn % len(self.open)]
        id = str(envelope["envelope_id"])
        waiting = self._acks[id] = asyncio.get_running_loop().create_future()
        await connection.send(envelope)
        try:
            async with asyncio.timeout(within):
                return True, await waiting
        except TimeoutError:
            return False, None
        finally:
            self._acks.pop(id, None)

    async def drop(self, how: Drop) -> None:
        """Every connection there is dies like this."""
        for connection in list(self.open):
            await self._drop(connection, how)

    async def _drop(self, connection: Connection, how: Drop) -> None:
        match how:
            case Drop.CLOSE:
                await connection.socket.close()
            case Drop.HALF_OPEN:
                connection.deaf.set()  # it stays in the list: Slack does not know either, and sends into the void
            case Drop.REFRESH:
                await connection.send({"type": "disconnect", "reason": "refresh_requested", "debug_info": {}})
                await asyncio.sleep(0.3)
                await connection.socket.close()
            case _:
                self.dead_links += how is Drop.DEAD_LINK
                assert connection.request.transport is not None
                connection.request.transport.abort()
                if connection in self.open:
                    self.open.remove(connection)
