"""Live updates: one task follows the changes and any number of open pages get them as server-sent events."""

import asyncio
import json
import logging
import secrets
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AbstractContextManager, nullcontext

from starlette.requests import Request
from starlette.responses import StreamingResponse

from agents.domain.errors import OverlordError
from agents.domain.ids import TaskId
from agents.domain.text.sanitize import small_number
from bot.live import Running
from bot.platforms.console import rendering
from bot.platforms.console.access import Authenticator, Viewer, viewer_of
from bot.queries.query_api import QueryApi

KEPT = 512  # changes that a page which was away can catch up on; after more it reads everything again
PULSE = 15.0  # seconds; also how soon a revoked login loses its stream

log = logging.getLogger(__name__)


class Changes:
    """The latest changes, numbered. A page names the last number it saw and gets what came after."""

    def __init__(self, queries: QueryApi) -> None:
        self._queries = queries
        self._boot = secrets.token_hex(4)  # numbers start again with the process
        self._kept: deque[tuple[int, frozenset[str]]] = deque(maxlen=KEPT)
        self._count = 0
        self._news = asyncio.Event()

    @property
    def mark(self) -> str:
        return f"{self._boot}-{self._count}"

    async def follow(self) -> None:
        async for names in self._queries.changes():
            self._count += 1
            self._kept.append((self._count, names))
            self._news.set()
            self._news = asyncio.Event()

    def since(self, mark: str) -> frozenset[str] | None:
        """What changed after that mark; None if the mark is too old or of another process."""
        boot, _, number = mark.partition("-")
        seen = small_number(number)
        if boot != self._boot or seen is None:
            return None
        if seen > self._count or (self._kept and seen + 1 < self._kept[0][0]):
            return None
        return frozenset[str]().union(*(names for count, names in self._kept if count > seen))

    async def next(self, *events: asyncio.Event) -> None:
        """Wait for news, for one of these events, or for the next pulse."""
        waits = [asyncio.ensure_future(event.wait()) for event in (self._news, *events)]
        try:
            await asyncio.wait(waits, timeout=PULSE, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for wait in waits:
                wait.cancel()


async def events(changes: Changes, after: str, stopping: asyncio.Event, reader: "Reader") -> AsyncIterator[str]:
    """The stream of one page, as server-sent events."""
    mark = after
    yield ": hello\n\n"
    with reader.looking() as moved:
        while not stopping.is_set() and await reader.is_known():
            moved.clear()
            names, mark_now = changes.since(mark), changes.mark
            try:
                heard = sorted(await reader.hears(names or frozenset()))
                parts = await reader.parts(heard)
            except OverlordError:
                return  # the store cannot be read: the page reconnects with the mark it has
            if names is None:
                yield _event("all", [], mark_now)
            elif heard:
                yield _event("change", heard, mark_now)
            elif mark == mark_now:
                yield ": still here\n\n"
            for kind, part in parts:
                yield _event(kind, part)
            mark = mark_now
            if changes.mark == mark:
                await changes.next(stopping, moved)


def _event(kind: str, data: object, mark: str = "") -> str:
    """Events with a mark can be resumed from; the others show the present moment."""
    number = f"id: {mark}\n" if mark else ""
    return f"event: {kind}\n{number}data: {json.dumps(data)}\n\n"


class Reader:
    """The person who holds a stream open, authenticated again at every turn. `looks_at`: the task whose page it is."""

    def __init__(
        self, request: Request, auth: Authenticator, queries: QueryApi, looks_at: TaskId | None = None
    ) -> None:
        self._request, self._auth, self._queries, self._looks_at = request, auth, queries, looks_at
        self._viewer: Viewer = viewer_of(request)
        self._seen: Sequence[Running] | None = None

    async def is_known(self) -> bool:
        return await self._auth.viewer(self._request) is not None

    async def hears(self, names: frozenset[str]) -> frozenset[str]:
        """The names of those changes that they may read."""
        return await self._queries.audible(names, self._viewer.account) if names else names

    def looking(self) -> AbstractContextManager[asyncio.Event]:
        return self._queries.looking(self._looks_at) if self._looks_at else nullcontext(asyncio.Event())

    async def parts(self, heard: Sequence[str]) -> list[tuple[str, str]]:
        """Parts of the page that come with the stream."""
        counted = [("needs", await self._count())] if "needs" in heard else []
        picture = await self._picture()
        return counted if picture is None else [*counted, ("live", picture)]

    async def _count(self) -> str:
        """The count of what waits for them, as the frame of every page shows it."""
        waiting = await self._queries.count_needs(self._viewer.account)
        return await asyncio.to_thread(rendering.render, "waiting.html", {"waiting": waiting})

    async def _picture(self) -> str | None:
        """The part of the page that shows what runs now; None if it has not changed."""
        if self._looks_at is None:
            return None
        running = await self._queries.live(self._looks_at, self._viewer.account)
        if running == self._seen:
            return None
        self._seen = running
        about = {"task": self._looks_at, "running": running, "now": self._auth.options.now()}
        return await asyncio.to_thread(rendering.render, "running.html", about)


def endpoint(
    changes: Changes, stopping: asyncio.Event, auth: Authenticator, queries: QueryApi
) -> Callable[[Request], Awaitable[StreamingResponse]]:
    async def stream(request: Request) -> StreamingResponse:
        after = request.headers.get("last-event-id") or request.query_params.get("after", "")
        wanted = request.query_params.get("live", "")
        # changes of tasks they may not see are not reported
        seen = await queries.audible(frozenset({wanted}), viewer_of(request).account) if wanted else frozenset()
        reader = Reader(request, auth, queries, next(map(TaskId, seen), None))
        body = events(changes, after, stopping, reader)
        return StreamingResponse(body, media_type="text/event-stream", headers={"X-Accel-Buffering": "no"})

    return stream


def start(changes: Changes) -> asyncio.Task[None]:
    """Starts to follow. If that fails, it is logged, and pages still work by reloading."""
    task = asyncio.ensure_future(changes.follow())
    task.add_done_callback(_log_failure)
    return task


def _log_failure(task: asyncio.Task[None]) -> None:
    if not task.cancelled() and (error := task.exception()):
        log.error("live updates of the console ended", exc_info=error)
