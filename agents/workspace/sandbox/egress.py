"""The one way out of a sandbox: a proxy on the host that connects to what is on a list, and to nothing else."""

import asyncio
import logging
import re
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from http import HTTPStatus

log = logging.getLogger(__name__)

CONNECTIONS_MOST = 64
HEAD_MOST = 8_192  # bytes of a request's head
PATIENCE = 15.0  # seconds for a request to be made, and for the other side to answer
_PIECE = 1 << 16
_REQUEST = re.compile(rb"\ACONNECT ([A-Za-z0-9._:\[\]-]{1,270}) HTTP/1\.[01]\r\n")


@asynccontextmanager
async def serving(door: socket.socket, allowed: frozenset[str]) -> AsyncIterator[None]:
    """Answers at a listening socket, which may belong to another network namespace."""
    proxy = Proxy(allowed)
    server = await asyncio.start_server(proxy.answer, sock=door, limit=HEAD_MOST)
    try:
        yield
    finally:
        server.close()
        await proxy.close()


class Proxy:
    def __init__(self, allowed: frozenset[str]) -> None:
        self._allowed = frozenset(place.lower() for place in allowed)
        self._open: set[asyncio.Task[None]] = set()

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._open.add(task)
        try:
            await self._serve(reader, writer)
        except (OSError, asyncio.CancelledError):
            pass  # either side went away, or the sandbox is closed
        finally:
            self._open.discard(task)
            writer.close()

    async def close(self) -> None:
        for task in self._open:
            task.cancel()
        if self._open:
            await asyncio.wait(self._open, timeout=PATIENCE)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        code, place = await self._asked(reader)
        if code != 200:
            await _reply(writer, code, place)
            return
        host, _, port = place.rpartition(":")
        try:
            async with asyncio.timeout(PATIENCE):
                there = await asyncio.open_connection(host.strip("[]"), int(port))
        except (OSError, TimeoutError):
            await _reply(writer, 502, place)
            return
        try:
            await _reply(writer, 200, "")
            await asyncio.gather(_copy(reader, there[1]), _copy(there[0], writer))
        finally:
            there[1].close()

    async def _asked(self, reader: asyncio.StreamReader) -> tuple[int, str]:
        """200 and where to, or why not."""
        if len(self._open) > CONNECTIONS_MOST:
            return 503, "too many connections"
        try:
            async with asyncio.timeout(PATIENCE):
                head = await reader.readuntil(b"\r\n\r\n")
        except TimeoutError:
            return 408, ""
        except asyncio.LimitOverrunError:
            return 431, ""
        except asyncio.IncompleteReadError:
            head = b""
        asked = _REQUEST.match(head)
        if asked is None:
            return 405, "only CONNECT is answered"
        place = asked[1].decode().lower()
        if place not in self._allowed:
            log.info("egress refused", extra={"place": place})
            return 403, f"{place} is not on the list of this sandbox"
        return 200, place


async def _reply(writer: asyncio.StreamWriter, code: int, body: str) -> None:
    text = f"{body}\n".encode() if body else b""
    length = f"Content-Length: {len(text)}\r\nConnection: close\r\n" if code != 200 else ""
    writer.write(f"HTTP/1.1 {code} {HTTPStatus(code).phrase}\r\n{length}\r\n".encode() + text)
    await writer.drain()


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while data := await reader.read(_PIECE):
        writer.write(data)
        await writer.drain()
    with suppress(OSError):
        writer.write_eof()
