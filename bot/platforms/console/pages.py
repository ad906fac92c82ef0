"""The pages people read: channels, threads, what needs me, tasks."""

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime

from markupsafe import Markup
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from agents.domain.ids import TaskId, Thread, surface_of
from agents.domain.numbers import small_number
from bot.desk import Desk, Message
from bot.messages import Card
from bot.platforms.console import page
from bot.platforms.console.deliveries import LIMIT, without_mention
from bot.platforms.console.identity import viewer_of
from bot.platforms.console.options import ConsoleOptions
from bot.platforms.console.sessions import Viewer
from bot.platforms.console.stream import Changes


class Pages:
    def __init__(self, desk: Desk, options: ConsoleOptions, changes: Changes) -> None:
        self._desk = desk
        self._options = options
        self._changes = changes

    async def home(self, request: Request) -> Response:
        first = self._options.channels[0] if self._options.channels else ""
        return RedirectResponse(f"/c/{first}" if first else "/direct", 303)

    async def channel(self, request: Request) -> Response:
        name = request.path_params["name"]
        if name not in self._options.channels:
            raise HTTPException(404, f"There is no channel #{name} here.")
        return await self._channel(request, name, here=f"/c/{name}", title=f"#{name}")

    async def direct(self, request: Request) -> Response:
        return await self._channel(
            request, viewer_of(request).direct, here="/direct", title="Direct to Overlord", opening=""
        )

    async def _channel(
        self, request: Request, name: str, *, here: str, title: str, opening: str = "@overlord "
    ) -> Response:
        at = self._changes.mark
        conversations = await self._desk.channel(f"console:{name}", viewer_of(request).account)
        return await self.show(
            request,
            "channel.html",
            at=at,
            here=here,
            title=title,
            watch=(f"console:{name}:*", *(c.task.id for c in conversations if c.task)),
            conversations=conversations,
            channel=name,
            opening=opening,
        )

    async def thread(self, request: Request) -> Response:
        thread, viewer, at = Thread(request.path_params["thread"]), viewer_of(request), self._changes.mark
        allowed = may_read(thread, viewer)
        conversation = await self._desk.conversation(thread, viewer.account) if allowed else None
        if conversation is None:
            raise HTTPException(404, "This conversation is not here.")
        channel = conversation.channel.partition(":")[2]
        surface = surface_of(thread)
        return await self.show(
            request,
            "thread.html",
            at=at,
            here="/direct" if channel == viewer.direct else f"/c/{channel}",
            title=page.first_line(_opening_words(conversation.messages), 70),
            watch=(thread, *((conversation.task.id,) if conversation.task else ())),
            conversation=conversation,
            channel=channel,
            elsewhere="" if surface == "console" else page.surface_name(surface),
        )

    async def needs(self, request: Request) -> Response:
        at = self._changes.mark
        pressed, aside = await self._aside(request)
        return await self.show(
            request, "needs.html", at=at, here="/needs", title="Needs me", watch=pressed, aside=aside, pressed=pressed
        )

    async def tasks(self, request: Request) -> Response:
        at, ended = self._changes.mark, "ended" in request.query_params
        tasks = await self._desk.tasks(viewer_of(request).account, ended=ended)
        names = await self._desk.names(tuple({task.owner for task in tasks}))
        return await self.show(
            request, "tasks.html", at=at, here="/tasks", title="Tasks", watch=("T-*",), tasks=tasks, names=names,
            ended=ended,
        )  # fmt: skip

    async def task(self, request: Request) -> Response:
        id, at = TaskId(request.path_params["task"]), self._changes.mark
        found = await self._desk.page(id, viewer_of(request).account)
        if found is None:
            raise HTTPException(404, f"There is no task {id}.")
        pressed, aside = await self._aside(request)
        return await self.show(
            request,
            "task.html",
            at=at,
            here="/tasks",
            title=f"{id} · {page.first_line(found.task.request, 60)}",
            watch=(id, *pressed),
            found=found,
            aside=aside,
            pressed=pressed,
        )

    async def kept(self, request: Request) -> Response:
        """A diff, a patch or a log: too long for a card."""
        id, name = TaskId(request.path_params["task"]), request.path_params["name"]
        text = await self._desk.kept(id, name, viewer_of(request).account)
        if text is None:
            raise HTTPException(404, f"{id} has nothing of that name.")
        diff = _diff(text) if name.endswith((".diff", ".patch")) else Markup("")
        told = {"task": id, "kept": name, "lines": len(text.splitlines()), "diff": diff, "text": text}
        return await self.show(request, "kept.html", here="/tasks", title=f"{id} · {name}", **told)

    async def pull(self, request: Request) -> Response:
        project, number = request.path_params["project"], small_number(request.path_params["number"])
        task = None if number is None else await self._desk.pull(project, number, viewer_of(request).account)
        if task is None:
            raise HTTPException(404, f"{project} has no such pull request.")
        return RedirectResponse(f"/task/{task}/kept/{task}.diff", 303)

    async def show(
        self, request: Request, template: str, *, status: int = 200, watch: Sequence[str] = (), **context: object
    ) -> Response:
        """Any page with its frame: the side bar, who reads, what waits for them."""
        viewer = viewer_of(request)
        known = bool(viewer.login) and template != "trouble.html"  # in trouble the desk is not asked again
        whole = {
            "at": self._changes.mark,
            "here": "",
            "viewer": viewer,
            "name": await self._desk.name_of(viewer.account) if known else "",
            "needs": await self._desk.needs(viewer.account) if known else (),
            "channels": self._options.channels,
            "suggestions": [without_mention(one) for one in self._options.suggestions],
            "now": self._options.now(),
            "limit": LIMIT,
            "watch": " ".join(("needs", *watch)),
            "page": page,
        } | context
        return HTMLResponse(await asyncio.to_thread(page.render, template, whole), status)

    async def _aside(self, request: Request) -> tuple[tuple[str, ...], Card | None]:
        """What the bot answered in private to the press that led here, if it did."""
        thread, since = Thread(request.query_params.get("pressed", "")), _time(request.query_params.get("since", ""))
        viewer = viewer_of(request)
        if not thread or since is None or not may_read(thread, viewer):
            return (), None
        conversation = await self._desk.conversation(thread, viewer.account)
        told = [m.card for m in conversation.messages if m.private and m.at >= since] if conversation else []
        return (thread,), next((card for card in reversed(told) if card), None)


def _diff(text: str) -> Markup:
    from bot.platforms.console.diffs import diff_html  # few read one, and nobody at a start

    return Markup(diff_html(text))


def may_read(thread: Thread, viewer: Viewer) -> bool:
    """Nobody reads another person's direct line. The desk knows about other platforms."""
    return not thread.startswith("console:@") or thread.startswith(f"console:{viewer.direct}:")


def _opening_words(messages: Sequence[Message]) -> str:
    first = messages[0] if messages else None
    if first is None:
        return "Conversation"
    return first.text or (first.card.title if first.card else "Conversation")


def _time(text: str) -> datetime | None:
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        return None
    return at if at.tzinfo else at.replace(tzinfo=UTC)
