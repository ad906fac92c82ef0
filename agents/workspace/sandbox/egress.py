"""The one way out of a sandbox: a proxy on the host that connects to what is on a list, and to nothing else."""

import asyncio
import logging
import re
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from http import HTTPStatus

from agents.ports import Profile

log = logging.getLogger(__name__)

CONNECTIONS_MOST = 64
HEAD_MOST = 8_192  # bytes of a request's head
PATIENCE = 15.0  # seconds for a request to be made, and for the other side to answer
_PIECE = 1 << 16
_REQUEST = re.compile(rb"\ACONNECT ([A-Za-z0-9._:\[\]-]{1,270}) HTTP/1\.[01]\r\n")
# In the open: an index without TLS. Only reading, and each connection for one request.
_PLAIN = re.compile(
    rb"\A(GET|HEAD) http://([A-Za-z0-9._\[\]-]{1,260})(:\d{1,5})?(/[!-~]*)? (HTTP/1\.[01])\r\n", re.ASCII
)
_HOP = re.compile(
    rb"(?im)^(connection|proxy-[a-z-]+|keep-alive|te|upgrade|transfer-encoding|content-length):[^\r\n]*\r\n"
)


@dataclass(frozen=True, slots=True)
class Proxied:
    """The door of a sandbox that may reach what is on its list. Implements agents.ports.Door."""

    profile: Profile

    @asynccontextmanager
    async def serving(self, at: int) -> AsyncIterator[None]:
        door = socket.socket(fileno=at)
        door.setblocking(False)
        proxy = Proxy(self.profile)
        server = await asyncio.start_server(proxy.answer, sock=door, limit=HEAD_MOST)
        try:
            yield
        finally:
            server.close()
            await proxy.close()


class Proxy:
    def __init__(self, profile: Profile) -> None:
        self._profile = profile
        self._allowed = frozenset(place.lower() for place in profile.egress)
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
        code, place, head = await self._asked(reader)
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
            if head:
                there[1].write(head)
                await _copy(there[0], writer)
            else:
                await _reply(writer, 200, "")
                await asyncio.gather(_copy(reader, there[1]), _copy(there[0], writer))
        finally:
            there[1].close()

    async def _asked(self, reader: asyncio.StreamReader) -> tuple[int, str, bytes]:
        """200 and where to, or why not; and what to say there, where it is asked in the open."""
        if len(self._open) > CONNECTIONS_MOST:
            return 503, "too many connections", b""
        try:
            async with asyncio.timeout(PATIENCE):
                head = await reader.readuntil(b"\r\n\r\n")
        except TimeoutError:
            return 408, "", b""
        except asyncio.LimitOverrunError:
            return 431, "", b""
        except asyncio.IncompleteReadError:
            head = b""
        place, said = _wanted(head)
        if not place or (said and not self._profile.in_the_open):
            return 405, "only CONNECT is answered", b""
        if place not in self._allowed:
            log.info("egress refused", extra={"place": place})
            self._profile.refused(place)
            return 403, f"{place} is not on the list of this sandbox", b""
        return 200, place, said


def _wanted(head: bytes) -> tuple[str, bytes]:
    """Where to, and what is said there in the open; nothing for what is not answered."""
    if asked := _REQUEST.match(head):
        return asked[1].decode().lower(), b""
    if plain := _PLAIN.match(head):
        method, host, port, path, version = plain.groups()
        rest = _HOP.sub(b"", head[plain.end() :])
        said = b"%s %s %s\r\nConnection: close\r\n%s" % (method, path or b"/", version, rest)
        return (host + (port or b":80")).decode().lower(), said
    return "", b""


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
