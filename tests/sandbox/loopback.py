"""Helpers that the tests of egress share with others."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

from agents.ports import Profile
from tests.sandbox.yard import SMALL


@asynccontextmanager
async def echo() -> AsyncIterator[int]:
    """A service of the host that says back what it hears."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    async with server:
        yield server.sockets[0].getsockname()[1]


def connect(place: str) -> str:
    return f"CONNECT {place} HTTP/1.1\r\nHost: {place}\r\n\r\n"


def only(*places: str) -> Profile:
    return replace(SMALL, egress=frozenset(places))
