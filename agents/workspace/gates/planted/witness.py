"""Listens to what a runner of tests says while it runs. What was heard stays heard, whatever is written afterwards."""

import asyncio
import json
import os
import select
import socket
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from agents.workspace.gates.planted.belief import Heard

MOST = 64 << 20  # bytes that are listened to
# Everything that ran is dead by then: there is nothing to wait for but what lies in the socket already, and its end
# comes by itself. The second is for a machine so busy that it does not: then half a story was heard, which is no lie.
_BACKLOG, _LAST_WORDS = 0.05, 30.0  # seconds
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


class Listening:
    """The first who connects is heard: it does so before anything of the project is loaded."""

    def __init__(self) -> None:
        self._said = bytearray()
        self.taken = False
        self.cut = False  # nobody listened to the end
        self.began: int | None = None  # when it was first heard, in ns
        self._over = False
        self.most = MOST

    def words(self) -> Heard:
        """Of what was said so far. What cannot be read was not said by us, so nothing of it counts.

        A last line without its end is half a word: whoever said it was ended by a limit, or not listened to any more.
        """
        if self._over:
            return Heard(spoke=True, garbled=True)
        try:
            lines = [json.loads(line) for line in bytes(self._said).split(b"\n")[:-1]]
            return Heard.read(lines, spoke=self.taken, cut=self.cut)
        except (ValueError, TypeError, KeyError, IndexError, RecursionError):
            return Heard(spoke=True, garbled=True)

    async def accept(self, door: socket.socket) -> None:
        loop = asyncio.get_running_loop()
        line, _ = await loop.sock_accept(door)
        self.taken, self.began = True, time.time_ns()
        line.setblocking(False)
        with line:
            while chunk := await loop.sock_recv(line, 1 << 16):
                if len(self._said) + len(chunk) > self.most:
                    self._over = True
                elif not self._over:
                    self._said += chunk


@asynccontextmanager
async def listening(folder: Path, name: str, last_words: float = _LAST_WORDS) -> AsyncIterator[Listening]:
    """At a socket in a folder that is ours until something runs there."""
    listener = Listening()
    with socket.socket(socket.AF_UNIX) as door:
        place = os.open(folder, _FOLDER)
        try:
            door.bind(f"/proc/self/fd/{place}/{name}")  # a socket's path may not be long
            os.chmod(f"/proc/self/fd/{place}/{name}", 0o666)  # noqa: PTH101
        finally:
            os.close(place)
        door.listen(1)
        door.setblocking(False)
        reading = asyncio.create_task(listener.accept(door))
        try:
            yield listener
            await asyncio.wait({reading}, timeout=_BACKLOG)
            if listener.taken or _knocks(door):
                await asyncio.wait({reading}, timeout=last_words)
                listener.cut = not reading.done()
        finally:
            reading.cancel()
            with suppress(asyncio.CancelledError, OSError):
                await reading


def _knocks(door: socket.socket) -> bool:
    """Somebody connected whom we have not come to listen to yet."""
    return bool(select.select([door], [], [], 0)[0])
