"""The pages people read: channels, threads, what needs them, tasks, files."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from urllib.parse import urlencode

from markupsafe import Markup
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response

from agents.domain.context.strategy import MEASURES
from agents.domain.ids import TaskId, Thread
from agents.domain.text.sanitize import small_number
from bot.messages import Card
from bot.platforms.console import rendering
from bot.platforms.console.charts import page_of
from bot.platforms.console.deliveries import LIMIT, without_mention
from bot.platforms.console.diff_rows import patch_of
from bot.platforms.console.diffs import diff_html
from bot.platforms.console.sign_in import ConsoleOptions, Viewer, viewer_of
from bot.platforms.console.stream import Changes
from bot.queries import Message, Portion
from bot.queries.metrics_queries import DAYS
from bot.queries.query_api import MESSAGES_SHOWN, QueryApi

THREADS_SHOWN, NEEDS_SHOWN, TASKS_SHOWN = 20, 10, 50  # a page
SEARCH_MOST = 200  # characters
PAGES_MOST = 1_000_000
SPANS = (7, 30, 90)  # days of metrics that are offered
MOST_DAYS = 3_650
EVERY_MESSAGE = 20_000  # of one thread, where somebody asks for all of it


@dataclass(frozen=True, slots=True)
class Pages:
    _queries: QueryApi
    _options: ConsoleOptions
    _changes: Changes

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
        at, number = self._changes.mark, _page_number(request)
        portion = Portion(skip=(number - 1) * THREADS_SHOWN, most=THREADS_SHOWN + 1)
        found = await self._queries.channel(f"console:{name}", viewer_of(request).account, portion)
        conversations = found[-THREADS_SHOWN:]
        offered = self._options.opening
        suggestions = [without_mention(one) for one in offered.suggestions]
        wanted = small_number(request.query_params.get("try", "")) or 0
        filled = suggestions[wanted - 1] if 0 < wanted <= len(suggestions) else ""
        return await self.show(
            request,
            "channel.html",
            at=at,
            here=here,
            title=title,
            watch=(f"console:{name}:*", *(c.task.id for c in conversations if c.task)),
            conversations=conversations,
            turns=_turns(here, number, len(found) > THREADS_SHOWN),
            channel=name,
            opening=opening,
            filled=f"{opening}{filled}" if filled else "",
            suggestions=suggestions,
            about=offered.about,
            notice=offered.notice,
        )

    async def thread(self, request: Request) -> Response:
        thread, viewer, at = Thread(request.path_params["thread"]), viewer_of(request), self._changes.mark
        allowed, last = may_read(thread, viewer), EVERY_MESSAGE if "all" in request.query_params else MESSAGES_SHOWN
        conversation = await self._queries.conversation(thread, viewer.account, last) if allowed else None
        if conversation is None:
            raise HTTPException(404, "This conversation is not here.")
        channel = conversation.channel.partition(":")[2]
        return await self.show(
            request,
            "thread.html",
            at=at,
            here="/direct" if channel == viewer.direct else f"/c/{channel}",
            title=rendering.first_line(_opening_words(conversation.messages), 70),
            watch=(thread, *((conversation.task.id,) if conversation.task else ())),
            conversation=conversation,
            channel=channel,
        )

    async def needs(self, request: Request) -> Response:
        at, number, search = self._changes.mark, _page_number(request), _search(request)
        portion = Portion(search=search, skip=(number - 1) * NEEDS_SHOWN, most=NEEDS_SHOWN + 1)
        found = await self._queries.needs(viewer_of(request).account, portion)
        needs = found[:NEEDS_SHOWN]
        pressed, aside = await self._aside(request)
        return await self.show(
            request,
            "needs.html",
            at=at,
            here="/needs",
            title="For you",
            watch=("needs", *pressed, *(need.task.id for need in needs)),
            needs=needs,
            turns=_turns("/needs", number, len(found) > NEEDS_SHOWN, search),
            search=search,
            aside=aside,
            pressed=pressed,
        )

    async def tasks(self, request: Request) -> Response:
        """Pages by task number, so that new tasks do not shift what a page shows."""
        at, ended, search = self._changes.mark, "ended" in request.query_params, _search(request)
        before = small_number(request.query_params.get("before", "").removeprefix("T-")) or 0
        viewer = viewer_of(request).account
        found = await self._queries.tasks(viewer, ended=ended, limit=TASKS_SHOWN + 1, search=search, before=before)
        tasks = found[:TASKS_SHOWN]
        names = await self._queries.names(tuple({task.request.by for task in tasks}))
        kept = {**({"ended": ""} if ended else {}), **({"q": search} if search else {})}
        return await self.show(
            request,
            "tasks.html",
            at=at,
            here="/tasks",
            title="Tasks",
            watch=tuple(task.id for task in tasks) if before or search else ("T-*", "queue"),
            tasks=tasks,
            queue=await self._queries.queue(),
            names=names,
            ended=ended,
            search=search,
            turns=Turns(
                first=_path("/tasks", kept) if before else "",
                on=_path("/tasks", {**kept, "before": tasks[-1].id}) if len(found) > TASKS_SHOWN else "",
            ),
        )

    async def task(self, request: Request) -> Response:
        id, at = TaskId(request.path_params["task"]), self._changes.mark
        before = small_number(request.query_params.get("before", "")) or None
        found = await self._queries.page(id, viewer_of(request).account, before)
        if found is None:
            raise HTTPException(404, f"There is no task {id}.")
        pressed, aside = await self._aside(request)
        return await self.show(
            request,
            "task.html",
            at=at,
            here="/tasks",
            title=f"{id} · {rendering.first_line(found.task.request.text, 60)}",
            watch=(id, *pressed),
            found=found,
            before=before,
            aside=aside,
            pressed=pressed,
        )

    async def kept_file(self, request: Request) -> Response:
        """A diff, a patch or a log: too long for a card."""
        id, name, at = TaskId(request.path_params["task"]), request.path_params["name"], self._changes.mark
        found = await self._queries.find_kept(id, name, viewer_of(request).account)
        if found is None:
            raise HTTPException(404, f"{id} has nothing of that name.")
        if "plain" in request.query_params:
            return _as_plain_text(found.text, request.query_params["plain"])
        if not name.endswith((".diff", ".patch")):
            return await self._log(request, id, name, found.text)
        pressed, aside = await self._aside(request)
        return await self.show(
            request,
            "diff.html",
            at=at,
            here="/tasks",
            title=f"{id} · {name}",
            watch=(id, *pressed),
            task=id,
            kept=name,
            found=found,
            siblings=rendering.diffs_of(id, found.others),
            diff=await asyncio.to_thread(_diff, found.text, _page_number(request)),
            aside=aside,
            pressed=pressed,
        )

    async def _log(self, request: Request, id: TaskId, name: str, text: str) -> Response:
        lines = len(text.removesuffix("\n").split("\n"))
        return await self.show(
            request, "kept.html", here="/tasks", title=f"{id} · {name}", task=id, kept=name, lines=lines, text=text
        )

    async def learning(self, request: Request) -> Response:
        found = await self._queries.learning(viewer_of(request).account)
        return await self.show(request, "learning.html", title="Learning", here="/learning", found=found)

    async def figures(self, request: Request) -> Response:
        """The metrics of some days; on /metrics are those for Prometheus."""
        wanted = small_number(request.query_params.get("last", "").removesuffix("d")) or DAYS
        days = min(wanted, MOST_DAYS)
        found, choices = await self._queries.metrics(days), await self._queries.engine_choices()
        shown = {**page_of(found), "choices": choices, "days": days, "spans": SPANS}
        return await self.show(request, "metrics.html", title="Metrics", here="/figures", shown=shown)

    async def roles(self, request: Request) -> Response:
        found = await self._queries.roles()
        return await self.show(request, "roles.html", title="Roles", here="/roles", found=found, measures=MEASURES)

    async def role(self, request: Request) -> Response:
        """One role with all that it extends, and what came of its runs."""
        name = request.path_params["role"]
        found = (await self._queries.roles()).find(name)
        if found is None:
            raise HTTPException(404, f"There is no role {name[:60]}.")
        return await self.show(request, "role.html", title=name, here="/roles", found=found, measures=MEASURES)

    async def naming(self, request: Request) -> Response:
        """Projects, people and models, with forms that change them."""
        found = await self._queries.find_named(viewer_of(request).account)
        if found is None:
            raise HTTPException(403, "Projects, people and models are named by the operator and by admins.")
        return await self.show(request, "named.html", here="/named", title="Projects, people, models", found=found)

    async def pull(self, request: Request) -> Response:
        project, number = request.path_params["project"], small_number(request.path_params["number"])
        task = None if number is None else await self._queries.pull(project, number, viewer_of(request).account)
        if task is None:
            raise HTTPException(404, f"{project} has no such pull request.")
        return RedirectResponse(f"/task/{task}/kept/{task}.diff", 303)

    async def show(
        self, request: Request, template: str, *, status: int = 200, watch: Sequence[str] = (), **context: object
    ) -> Response:
        """Renders a page with its frame: the side bar, the reader, what waits for them."""
        viewer = viewer_of(request)
        known = bool(viewer.login) and template != "trouble.html"  # the store could not be read: do not ask again
        whole = {
            "at": self._changes.mark,
            "here": "",
            "viewer": viewer,
            "name": await self._queries.name_of(viewer.account) if known else "",
            "waiting": await self._queries.count_needs(viewer.account) if known else 0,
            "channels": self._options.channels,
            "now": self._options.now(),
            "limit": LIMIT,
            "watch": " ".join(watch),
            "page": rendering,
        } | context
        return HTMLResponse(await asyncio.to_thread(rendering.render, template, whole), status)

    async def _aside(self, request: Request) -> tuple[tuple[str, ...], Card | None]:
        """The bot's private answer to the press that led here, if there is one."""
        thread, since = Thread(request.query_params.get("pressed", "")), _time(request.query_params.get("since", ""))
        viewer = viewer_of(request)
        if not thread or since is None or not may_read(thread, viewer):
            return (), None
        conversation = await self._queries.conversation(thread, viewer.account)
        answers = [m.card for m in conversation.messages if m.private and m.at >= since] if conversation else []
        return (thread,), next((card for card in reversed(answers) if card), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Turns:
    """Links to the first and the next page of a list. Empty: there is none."""

    first: str = ""
    on: str = ""


def _turns(path: str, number: int, more: bool, search: str = "") -> Turns:
    kept = {"q": search} if search else {}
    return Turns(
        first=_path(path, kept) if number > 1 else "",
        on=_path(path, {**kept, "page": str(number + 1)}) if more else "",
    )


def _path(path: str, asked: Mapping[str, str]) -> str:
    return f"{path}?{urlencode(asked)}" if asked else path


def _page_number(request: Request) -> int:
    """The page asked for; 1 if it is no possible page."""
    return min(small_number(request.query_params.get("page", "")) or 1, PAGES_MOST)


def _search(request: Request) -> str:
    return request.query_params.get("q", "").strip()[:SEARCH_MOST]


def _diff(text: str, page: int) -> Mapping[str, object]:
    drawn = diff_html(text, page)
    return {
        "html": Markup(drawn.html),  # every character of the diff is made harmless there
        "page": drawn.page,
        "pages": drawn.pages,
        "files": drawn.files,
        "added": drawn.added,
        "removed": drawn.removed,
    }


def _as_plain_text(text: str, number: str) -> Response:
    """The text itself, or the part of a diff about one file: for the copy button, and for `git apply`."""
    wanted = small_number(number)
    return PlainTextResponse(patch_of(text, wanted) if wanted else text)


def may_read(thread: Thread, viewer: Viewer) -> bool:
    """Nobody reads another person's direct channel. The query API checks threads of other platforms."""
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
