"""Live updates: one reader of the desk's changes, any number of open pages."""

import asyncio
import json
import logging
import secrets
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable

from starlette.requests import Request
from starlette.responses import StreamingResponse

from agents.domain.errors import OverlordError
from bot.desk import Desk
from bot.platforms.console.identity import Door, viewer_of
from bot.platforms.console.sessions import Viewer

KEPT = 512  # changes that a page which was away can catch up on; after more it reads everything again
PULSE = 15.0  # seconds; also how soon a revoked login loses its stream

log = logging.getLogger(__name__)


class Changes:
    """The latest changes, numbered. A page names the last number it saw and gets what came after."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._boot = secrets.token_hex(4)  # numbers start again with the process
        self._kept: deque[tuple[int, frozenset[str]]] = deque(maxlen=KEPT)
        self._count = 0
        self._news = asyncio.Event()

    @property
    def mark(self) -> str:
        return f"{self._boot}-{self._count}"

    async def follow(self) -> None:
        async for names in self._desk.changes():
            self._count += 1
            self._kept.append((self._count, names))
            self._news.set()
            self._news = asyncio.Event()

    def since(self, mark: str) -> frozenset[str] | None:
        """What changed after that mark; None if nobody can say any more."""
        boot, _, number = mark.partition("-")
        if boot != self._boot or not number.isdecimal():
            return None
        seen = int(number)
        if seen > self._count or (self._kept and seen + 1 < self._kept[0][0]):
            return None
        return frozenset[str]().union(*(names for count, names in self._kept if count > seen))

    async def next(self, stopping: asyncio.Event) -> None:
        """Wait for news, for the end, or for the next pulse."""
        waits = [asyncio.ensure_future(event.wait()) for event in (self._news, stopping)]
        try:
            await asyncio.wait(waits, timeout=PULSE, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for wait in waits:
                wait.cancel()


async def events(changes: Changes, after: str, stopping: asyncio.Event, reader: "Reader") -> AsyncIterator[str]:
    """The stream of one page, as server-sent events."""
    mark = after
    yield ": hello\n\n"
    while not stopping.is_set() and await reader.is_known():
        names, mark_now = changes.since(mark), changes.mark
        try:
            heard = sorted(await reader.hears(names or frozenset()))
        except OverlordError:
            return  # the desk cannot be read just now: the page comes back, and names the mark it has
        if names is None:
            yield _event("all", mark_now, [])
        elif heard:
            yield _event("change", mark_now, heard)
        elif mark == mark_now:
            yield ": still here\n\n"
        mark = mark_now
        if changes.mark == mark:
            await changes.next(stopping)


def _event(kind: str, mark: str, names: list[str]) -> str:
    return f"event: {kind}\nid: {mark}\ndata: {json.dumps(names)}\n\n"


class Reader:
    """Whoever holds a stream open; they are asked for again at every turn."""

    def __init__(self, request: Request, door: Door, desk: Desk) -> None:
        self._request, self._door, self._desk = request, door, desk
        self._viewer: Viewer = viewer_of(request)

    async def is_known(self) -> bool:
        return await self._door.viewer(self._request) is not None

    async def hears(self, names: frozenset[str]) -> frozenset[str]:
        """What they may not read is not even named."""
        return await self._desk.audible(names, self._viewer.account) if names else names


def endpoint(
    changes: Changes, stopping: asyncio.Event, door: Door, desk: Desk
) -> Callable[[Request], Awaitable[StreamingResponse]]:
    async def stream(request: Request) -> StreamingResponse:
        after = request.headers.get("last-event-id") or request.query_params.get("after", "")
        body = events(changes, after, stopping, Reader(request, door, desk))
        return StreamingResponse(body, media_type="text/event-stream", headers={"X-Accel-Buffering": "no"})

    return stream


def start(changes: Changes) -> asyncio.Task[None]:
    """Begin to follow. Should it ever end in an error, the log says so and pages still work by reloading."""
    task = asyncio.ensure_future(changes.follow())
    task.add_done_callback(_tell)
    return task


def _tell(task: asyncio.Task[None]) -> None:
    if not task.cancelled() and (error := task.exception()):
        log.error("live updates of the console ended", exc_info=error)
