"""What people do: say, press, edit. An answer is given only after the desk has stored it."""

import asyncio
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
from datetime import datetime
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from agents.domain.errors import OverlordError
from agents.domain.ids import TaskId, Thread
from bot.messages import Button, Card, Delivery, Edited, Pressed
from bot.platforms.console import deliveries
from bot.platforms.console.access.identity import Door, safe_next, viewer_of, wants_json
from bot.platforms.console.access.sessions import Viewer
from bot.platforms.console.deliveries import NONCE, Form, Unsendable
from bot.platforms.console.pages import Pages, may_read
from bot.platforms.console.rendering.page import iso, thread_path
from bot.platforms.console.stream import Changes
from bot.query_api import Desk

Make = Callable[[Form, Viewer, str, datetime], Delivery]
Check = Callable[[Form, Viewer], Awaitable[None]]
Shown = tuple[tuple[str, Card | None], ...]  # the messages of a conversation with what they show
MOMENT = 2.0  # seconds
KEPT_FIELDS = ("channel", "thread", "message", "token", "shown", "task", "back")


class Actions:
    def __init__(self, desk: Desk, door: Door, pages: Pages, changes: Changes) -> None:
        self._desk = desk
        self._changes = changes
        self._door = door
        self._pages = pages

    async def say(self, request: Request) -> Response:
        return await self._act(request, self._check_place, deliveries.to_said)

    async def edit(self, request: Request) -> Response:
        return await self._act(request, self._check_author, deliveries.to_edited)

    async def press(self, request: Request) -> Response:
        return await self._act(request, self._check_thread, deliveries.to_pressed)

    async def ask(self, request: Request) -> Response:
        """The form behind a button, as a page of its own, for readers without scripts."""
        form, viewer = await fields(request), viewer_of(request)
        try:
            self._check_token(request, form)
            await self._check_thread(form, viewer)
            button = await self._button(form, viewer)
        except OverlordError as problem:
            return await self._again(request, form, problem)
        return await self._pages.show(
            request, "ask.html", title=button.label, button=button, form=form, nonce_kept=_nonce(form)
        )

    async def _act(self, request: Request, check: Check, make: Make) -> Response:
        form, viewer = await fields(request), viewer_of(request)
        try:
            self._check_token(request, form)
            await check(form, viewer)
            name = await self._desk.name_of(viewer.account)
            delivery = make(form, viewer, name, self._door.options.now())
            before = () if wants_json(request) else await self._messages(delivery, viewer)
            heard = await self._desk.hear(delivery)
        except OverlordError as problem:
            return await self._again(request, form, problem)
        # in a thread of ours the bot's private answer stands below the button; a view of the ledger has no such place
        on_ledger = isinstance(delivery, Pressed) and not delivery.message
        told = heard.words if heard and heard.refused and on_ledger else ""
        see = _see(delivery, form)
        if wants_json(request):
            return JSONResponse({"thread": delivery.thread, "message": delivery.message, "see": see, "told": told})
        if told:
            return await self._pages.show(request, "told.html", title="Not done", told=told, thread=delivery.thread)
        if isinstance(delivery, Pressed) and delivery.message:
            await self._until_answered(delivery, viewer, before)
        return RedirectResponse(see, 303)

    async def _messages(self, delivery: Delivery, viewer: Viewer) -> Shown:
        conversation = await self._desk.conversation(delivery.thread, viewer.account)
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
            action=request.url.path if request.url.path != "/ask" else "/press",
            kept={name: form[name] for name in KEPT_FIELDS if name in form},
            words_name="words" if "token" in form else "text",
            words=form.get("words", "") or form.get("text", ""),
            nonce_kept=_nonce(form),
        )

    def _check_token(self, request: Request, form: Form) -> None:
        token = form.get("csrf", "") or request.headers.get("x-overlord-token", "")
        if not self._door.stands(request, token):
            raise Unsendable("This page was open too long to be sure it is you", next_step="Send it again from here.")

    async def _check_place(self, form: Form, viewer: Viewer) -> None:
        channel, thread = form.get("channel", ""), form.get("thread", "")
        if channel not in (*self._door.options.channels, viewer.direct):
            raise Unsendable("There is no such channel", next_step="Choose one on the left.")
        if thread and not thread.startswith(f"console:{channel}:"):
            raise Unsendable("This conversation is in another channel", next_step="Open it and reply there.")
        if thread and await self._desk.conversation(Thread(thread), viewer.account) is None:
            raise Unsendable("This conversation is not here any more", next_step="Start a new one in the channel.")

    async def _check_thread(self, form: Form, viewer: Viewer) -> None:
        if not may_read(Thread(form.get("thread", "")), viewer):
            raise Unsendable("That button is not one of ours", next_step="Reload the page and press it again.")

    async def _check_author(self, form: Form, viewer: Viewer) -> None:
        thread = Thread(form.get("thread", ""))
        ours = thread.startswith("console:") and may_read(thread, viewer)
        conversation = await self._desk.conversation(thread, viewer.account) if ours else None
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
        conversation = await self._desk.conversation(Thread(form.get("thread", "")), viewer.account)
        for message in conversation.messages if conversation else ():
            if message.card:
                yield message.card
        found = await self._desk.page(TaskId(form.get("task", "")), viewer.account)
        for card in (found.status, *(need.card for need in found.needs)) if found else ():
            yield card


async def fields(request: Request) -> Form:
    """The text fields of a form; nothing here takes files."""
    async with request.form(max_files=0, max_fields=20) as form:
        return {name: value for name, value in form.items() if isinstance(value, str)}


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
