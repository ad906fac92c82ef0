"""Handles the forms people send: messages, edits, presses, signing in and out. Answers once the form is stored."""

import asyncio
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from agents.domain.errors import OverlordError
from agents.domain.ids import TaskId, Thread
from bot.field_forms import fill_fields, write_fields
from bot.messages import Button, Card, Delivery, Edited, Pressed
from bot.platforms.console import deliveries
from bot.platforms.console.deliveries import NONCE, Form, Unsendable
from bot.platforms.console.forms.fields import all_fields, fields
from bot.platforms.console.forms.line_comments import COMMENTS_MOST, all_words, comments_in, put_together
from bot.platforms.console.forms.table_form import (
    MOST_FIELDS,
    TableView,
    move_as_asked,
    rows_sent,
    view_of,
    with_faults,
    written_by,
)
from bot.platforms.console.pages import Pages, may_read
from bot.platforms.console.rendering import iso, thread_path
from bot.platforms.console.sign_in import (
    Authenticator,
    Viewer,
    safe_next,
    viewer_of,
    wants_json,
)
from bot.platforms.console.stream import Changes
from bot.queries.query_api import QueryApi
from bot.table_forms import write_rows

Make = Callable[[Form, Viewer, str, datetime], Delivery]
Check = Callable[[Form, Viewer], Awaitable[None]]
Shown = tuple[tuple[str, Card | None], ...]  # the messages of a conversation with what they show
MOMENT = 2.0  # seconds
MOST_COMMENT_FIELDS = 20 + 3 * (COMMENTS_MOST + 1)
KEPT_FIELDS = ("channel", "thread", "message", "token", "shown", "task", "back")


@dataclass(frozen=True, slots=True)
class Actions:
    _queries: QueryApi
    _auth: Authenticator
    _pages: Pages
    _changes: Changes

    async def say(self, request: Request) -> Response:
        return await self._act(request, self._check_place, deliveries.to_said)

    async def edit(self, request: Request) -> Response:
        return await self._act(request, self._check_author, deliveries.to_edited)

    async def press(self, request: Request) -> Response:
        return await self._act(request, self._check_thread, deliveries.to_pressed)

    async def name(self, request: Request) -> Response:
        """A form of the page of projects, people and models: said to the bot directly, in the words of its command."""
        form, viewer = await fields(request), viewer_of(request)
        parts = (form.get(f"part{number}", "").strip() for number in range(5))
        words = " ".join("".join(part.split()) for part in parts if part)
        return await self._act(
            request, self._check_place, deliveries.to_said, {**form, "channel": viewer.direct, "text": words}
        )

    async def comment(self, request: Request) -> Response:
        """Comments on lines of a diff: pressed as one, with path and line before each."""
        sent = await all_fields(request, MOST_COMMENT_FIELDS)
        form, comments = dict(sent), comments_in(sent)
        task, name = TaskId(request.path_params["task"]), request.path_params["name"]
        try:
            found = await self._queries.find_kept(task, name, viewer_of(request).account)
            said = await asyncio.to_thread(put_together, form.get("words", ""), comments, found.text if found else "")
        except OverlordError as problem:
            return await self._again(request, {**form, "words": all_words(form.get("words", ""), comments)}, problem)
        return await self._act(request, self._check_thread, deliveries.to_pressed, {**form, "words": said})

    async def ask(self, request: Request) -> Response:
        """The form behind a button, as a page of its own, for readers without scripts."""
        form, viewer = await fields(request), viewer_of(request)
        try:
            self._check_token(request, form)
            await self._check_thread(form, viewer)
            button = await self._button(form, viewer)
        except OverlordError as problem:
            return await self._again(request, form, problem)
        if button.columns:
            return await self._show_table(request, form, button, view_of(button))
        if button.fields:
            return await self._show_fields(request, form, button)
        return await self._pages.show(
            request, "ask.html", title=button.label, button=button, form=form, nonce_kept=_nonce(form)
        )

    async def table(self, request: Request) -> Response:
        """A table as it was filled in: rows are moved, faults are shown beside their fields, or it is pressed."""
        sent, viewer = await all_fields(request, MOST_FIELDS), viewer_of(request)
        form = {name: value for name, value in sent if name in (*KEPT_FIELDS, "csrf", "nonce", "move")}
        try:
            self._check_token(request, form)
            await self._check_thread(form, viewer)
            button = await self._button(form, viewer)
        except OverlordError as problem:
            return await self._again(request, {**form, "words": written_by(sent)}, problem)
        rows = rows_sent(sent, button.columns)
        if form.get("move"):
            moved = TableView(rows=move_as_asked(rows, form["move"]))
            return await self._show_table(request, form, button, moved)
        words = write_rows(rows, button.columns)
        if faults := await self._queries.check_form(form.get("token", ""), words):
            view = with_faults(rows, button.columns, faults)
            return await self._show_table(request, form, button, view, status=400)
        return await self._act(request, self._check_thread, deliveries.to_pressed, {**form, "words": words})

    async def several(self, request: Request) -> Response:
        """A form with several fields: faults are shown beside them, or it is pressed."""
        sent, viewer = dict(await all_fields(request, MOST_FIELDS)), viewer_of(request)
        form = {name: value for name, value in sent.items() if name in (*KEPT_FIELDS, "csrf", "nonce")}
        values = {name.removeprefix("field-"): text for name, text in sent.items() if name.startswith("field-")}
        words = write_fields(values)
        try:
            self._check_token(request, form)
            await self._check_thread(form, viewer)
            button = await self._button(form, viewer)
        except OverlordError as problem:
            return await self._again(request, {**form, "words": words}, problem)
        faults = await self._queries.check_form(form.get("token", ""), words)
        if faults:
            button = replace(button, fields=fill_fields(button.fields, values))
            return await self._show_fields(request, form, button, {each.field: each.what for each in faults})
        return await self._act(request, self._check_thread, deliveries.to_pressed, {**form, "words": words})

    async def _show_fields(
        self, request: Request, form: Form, button: Button, beside: Mapping[str, str] | None = None
    ) -> Response:
        return await self._pages.show(
            request, "fields.html", status=400 if beside else 200, title=button.label, button=button, form=form,
            beside=beside or {}, nonce_kept=_nonce(form),
        )  # fmt: skip

    async def _show_table(
        self, request: Request, form: Form, button: Button, view: TableView, status: int = 200
    ) -> Response:
        return await self._pages.show(
            request, "table.html", status=status, title=button.label, button=button, form=form, view=view,
            nonce_kept=_nonce(form),
        )  # fmt: skip

    async def _act(self, request: Request, check: Check, make: Make, filled: Form | None = None) -> Response:
        form, viewer = filled or await fields(request), viewer_of(request)
        try:
            self._check_token(request, form)
            await check(form, viewer)
            name = await self._queries.name_of(viewer.account)
            delivery = make(form, viewer, name, self._auth.options.now())
            before = () if wants_json(request) else await self._messages(delivery, viewer)
            heard = await self._queries.hear(delivery)
        except OverlordError as problem:
            return await self._again(request, form, problem)
        # in a thread of ours the bot's private answer stands below the button; a view of the ledger has no such place
        on_ledger = isinstance(delivery, Pressed) and not delivery.message
        told = heard.words if heard and heard.refused and on_ledger else ""
        see = _see(delivery, form)
        if wants_json(request):
            return JSONResponse({"thread": delivery.thread, "message": delivery.message, "see": see, "told": told})
        if told:
            written = form.get("words", "")
            return await self._pages.show(
                request, "told.html", title="Not done", told=told, thread=delivery.thread, written=written
            )
        if isinstance(delivery, Pressed) and delivery.message:
            await self._until_answered(delivery, viewer, before)
        return RedirectResponse(see, 303)

    async def _messages(self, delivery: Delivery, viewer: Viewer) -> Shown:
        conversation = await self._queries.conversation(delivery.thread, viewer.account)
        return tuple((message.id, message.card) for message in conversation.messages) if conversation else ()

    async def _until_answered(self, delivery: Delivery, viewer: Viewer, before: Shown) -> None:
        """Without scripts a page does not follow, so it waits a moment for what the press brings."""
        with suppress(TimeoutError):
            async with asyncio.timeout(MOMENT):
                while True:
                    mark = self._changes.mark
                    if await self._messages(delivery, viewer) != before:
                        return
                    if self._changes.mark == mark:
                        await self._changes.next()

    async def _again(self, request: Request, form: Form, problem: OverlordError) -> Response:
        """Say what is wrong and give everything back, so that nothing has to be written twice."""
        viewer = viewer_of(request)
        status = 400 if isinstance(problem, Unsendable) else 409
        if wants_json(request):
            return JSONResponse({"error": str(problem), "csrf": viewer.csrf}, status)
        return await self._pages.show(
            request,
            "again.html",
            status=status,
            title="Not sent",
            problem=problem,
            action=request.url.path if request.url.path in ("/say", "/edit") else "/press",
            kept={name: form[name] for name in KEPT_FIELDS if name in form},
            words_name="words" if "token" in form else "text",
            words=form.get("words", "") or form.get("text", ""),
            nonce_kept=_nonce(form),
        )

    def _check_token(self, request: Request, form: Form) -> None:
        token = form.get("csrf", "") or request.headers.get("x-overlord-token", "")
        if not self._auth.is_our_form(request, token):
            raise Unsendable("This page was open too long to be sure it is you", next_step="Send it again from here.")

    async def _check_place(self, form: Form, viewer: Viewer) -> None:
        channel, thread = form.get("channel", ""), form.get("thread", "")
        if channel not in (*self._auth.options.channels, viewer.direct):
            raise Unsendable("There is no such channel", next_step="Choose one on the left.")
        if thread and not thread.startswith(f"console:{channel}:"):
            raise Unsendable("This conversation is in another channel", next_step="Open it and reply there.")
        if thread and await self._queries.conversation(Thread(thread), viewer.account) is None:
            raise Unsendable("This conversation is not here any more", next_step="Start a new one in the channel.")

    async def _check_thread(self, form: Form, viewer: Viewer) -> None:
        if not may_read(Thread(form.get("thread", "")), viewer):
            raise Unsendable("That button is not one of ours", next_step="Reload the page and press it again.")

    async def _check_author(self, form: Form, viewer: Viewer) -> None:
        thread = Thread(form.get("thread", ""))
        ours = thread.startswith("console:") and may_read(thread, viewer)
        conversation = await self._queries.conversation(thread, viewer.account) if ours else None
        messages = conversation.messages if conversation else ()
        if not any(m.id == form.get("message") and m.mine for m in messages):
            raise Unsendable("Only the author can change a message", next_step="Reply to it instead.")

    async def _button(self, form: Form, viewer: Viewer) -> Button:
        async for card in self._cards(form, viewer):
            for button in (*card.buttons, *card.more):
                if button.choice.token == form.get("token"):
                    return button
        raise Unsendable("That button is no longer there", next_step="Look at the card again: it has changed.")

    async def _cards(self, form: Form, viewer: Viewer) -> AsyncIterator[Card]:
        conversation = await self._queries.conversation(Thread(form.get("thread", "")), viewer.account)
        for message in conversation.messages if conversation else ():
            if message.card:
                yield message.card
        found = await self._queries.page(TaskId(form.get("task", "")), viewer.account)
        for card in (found.status, *(need.card for need in found.needs)) if found else ():
            yield card


def _nonce(form: Form) -> str:
    """Keep the form's number where it has one: what may have been sent already must not count twice."""
    known = form.get("nonce", "")
    return known if NONCE.fullmatch(known) else secrets.token_urlsafe(12)


def _see(delivery: Delivery, form: Form) -> str:
    """Where the answer will appear."""
    if isinstance(delivery, Pressed) and not delivery.message:
        back = safe_next(form.get("back") or "/needs").partition("?")[0]
        return f"{back}?{urlencode({'pressed': delivery.thread, 'since': iso(delivery.at)})}"
    anchor = f"#m-{delivery.message}" if isinstance(delivery, Edited) else ""
    return f"{thread_path(delivery.thread)}{anchor}"
