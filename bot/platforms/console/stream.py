"""Live updates: one task follows the changes and any number of open pages get them as server-sent events."""

import asyncio
import json
import logging
import secrets
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import nullcontext

from starlette.requests import Request
from starlette.responses import StreamingResponse

from agents.domain.errors import OverlordError
from agents.domain.ids import TaskId
from agents.domain.text.sanitize import small_number
from bot.live import Running
from bot.platforms.console import rendering
from bot.platforms.console.sign_in import Authenticator, viewer_of
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


class PageStream:
    """The stream of one open page, of a task or not. Its reader is authenticated again at every turn."""

    def __init__(
        self, request: Request, auth: Authenticator, queries: QueryApi, changes: Changes, task: TaskId | None
    ) -> None:
        self._request, self._auth, self._queries, self._changes, self._task = request, auth, queries, changes, task
        self._account = viewer_of(request).account
        self._seen: Sequence[Running] | None = None

    async def events(self, mark: str, stopping: asyncio.Event) -> AsyncIterator[str]:
        """What changed after this mark and what changes from now on, as server-sent events."""
        yield ": hello\n\n"
        with self._queries.looking(self._task) if self._task else nullcontext(asyncio.Event()) as moved:
            while not stopping.is_set() and await self._auth.viewer(self._request):
                moved.clear()
                names, mark_now = self._changes.since(mark), self._changes.mark
                try:
                    heard = sorted(await self._queries.audible(names, self._account)) if names else []
                    parts = await self._parts(heard)
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
                if self._changes.mark == mark:
                    await self._changes.next(stopping, moved)

    async def _parts(self, heard: Sequence[str]) -> list[tuple[str, str]]:
        """Parts of the page that come with the stream: what waits for the reader, and what runs now."""
        parts = []
        if "needs" in heard:
            waiting = await self._queries.count_needs(self._account)
            parts.append(("needs", await self._render("waiting.html", {"waiting": waiting})))
        if self._task:
            running = await self._queries.live(self._task, self._account)
            if running != self._seen:
                self._seen = running
                about = {"task": self._task, "running": running, "now": self._auth.options.now()}
                parts.append(("live", await self._render("running.html", about)))
        return parts

    async def _render(self, template: str, about: Mapping[str, object]) -> str:
        return await asyncio.to_thread(rendering.render, template, about)


def _event(kind: str, data: object, mark: str = "") -> str:
    """Events with a mark can be resumed from; the others show the present moment."""
    number = f"id: {mark}\n" if mark else ""
    return f"event: {kind}\n{number}data: {json.dumps(data)}\n\n"


def endpoint(
    changes: Changes, stopping: asyncio.Event, auth: Authenticator, queries: QueryApi
) -> Callable[[Request], Awaitable[StreamingResponse]]:
    async def stream(request: Request) -> StreamingResponse:
        after = request.headers.get("last-event-id") or request.query_params.get("after", "")
        wanted = request.query_params.get("live", "")
        # changes of tasks they may not see are not reported
        seen = await queries.audible(frozenset({wanted}), viewer_of(request).account) if wanted else frozenset()
        page = PageStream(request, auth, queries, changes, next(map(TaskId, seen), None))
        return StreamingResponse(
            page.events(after, stopping), media_type="text/event-stream", headers={"X-Accel-Buffering": "no"}
        )

    return stream


def start(changes: Changes) -> asyncio.Task[None]:
    """Starts to follow. If that fails, it is logged, and pages still work by reloading."""
    task = asyncio.ensure_future(changes.follow())
    task.add_done_callback(_log_failure)
    return task


def _log_failure(task: asyncio.Task[None]) -> None:
    if not task.cancelled() and (error := task.exception()):
        log.error("live updates of the console ended", exc_info=error)
