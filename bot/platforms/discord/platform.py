"""Discord as a chat platform. A thread is opened with the first post; each message carries a reference to its key."""

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any
from urllib.parse import quote

from agents.domain.ids import Account, Thread, derive_id
from bot.messages import Bounds, Card, Deleted, Gone, Refused
from bot.platforms.discord.notation import DIRECT, Place, fit, mark_of, name_of, reference, user_of
from bot.platforms.discord.rest import NO_THREADS, Barred, Code, Declined, Rest, Vanished
from bot.platforms.discord.views import Json, May, Rendered, reference_of, render
from bot.platforms.provider import Attachment, Recent, draw

EYES = quote("👀")
PAGES, PAGE = 5, 100  # how far back a post is looked for
TOKEN_LIVES = 14 * 60.0  # a little less than Discord says
KEPT = 5000
WEEK = 10_080  # minutes


class DiscordPlatform:
    """Implements bot.messages.Platform. Works while the gateway is down: it speaks REST alone."""

    name = "discord"
    bounds = Bounds(title=400, text=2400, rows=40, lines=60, buttons=25, label=80, whole=4000)
    settle = 3.0  # the nonce makes a second try of the same post harmless, so there is little to wait for

    def __init__(self, rest: Rest) -> None:
        self._rest = rest
        self.reads_replies = True  # False: the message-content intent is missing, so the Answer form is offered
        self._me = ""
        self._no_embeds: set[str] = set()
        self._no_files: set[str] = set()
        self._references = Recent[str, str](KEPT)  # of messages posted since the start
        self._hooks = Recent[tuple[Thread, Account], tuple[float, str]](KEPT)

    async def post(self, thread: Thread, key: str, card: Card) -> str:
        place = Place.of(thread)
        ref = reference(place, key)
        more: Json = {"nonce": derive_id("nonce", thread, key), "enforce_nonce": True}
        try:
            return await self._send(place.root, card, ref, more)
        except Vanished as problem:
            if problem.code != Code.UNKNOWN_CHANNEL or place.is_direct:
                raise
        if await self._open(place, card.title):
            return await self._send(place.root, card, ref, more)
        reply = {"message_id": place.root, "fail_if_not_exists": False}
        return await self._send(place.channel, card, ref, more | {"message_reference": reply})

    async def edit(self, thread: Thread, message: str, card: Card) -> None:
        place = Place.of(thread)
        try:
            await self._change(place.root, message, card)
        except Vanished as problem:
            if problem.code != Code.UNKNOWN_CHANNEL or place.is_direct:
                raise
            await self._change(place.channel, message, card)  # no thread could be opened, so it stands outside

    async def find(self, thread: Thread, key: str) -> str | None:
        """Reads our own messages back, newest first, for the reference in each."""
        place = Place.of(thread)
        ref = reference(place, key)
        try:
            return await self._find(place.root, ref)
        except Gone:
            return None if place.is_direct else await self._find(place.channel, ref)

    async def begin(self, channel: str, key: str, words: str) -> Thread:
        """Found again by its content, since Discord remembers a nonce for some minutes only."""
        _, guild, id = channel.split(":")
        if guild == DIRECT:
            raise Refused("a direct channel has no threads")
        content, me = fit(words, 1500), await self._own_id()
        latest = await self._rest.call("GET", f"/channels/{id}/messages?limit={PAGE}")
        mine = (str(m["id"]) for m in latest if m["author"]["id"] == me and m["content"] == content)
        root = next(mine, None) or await self.root(id, content, key)
        return Place(guild=guild, channel=id, root=root).thread

    async def permalink(self, thread: Thread, message: str) -> str:
        place = Place.of(thread)
        return f"https://discord.com/channels/{place.guild}/{place.holds(message)}/{message}"

    async def whisper(self, thread: Thread, to: Account, key: str, card: Card) -> None:
        """Answers the press while its token is valid, else by direct message, else with a mention in the thread."""
        user = user_of(to)
        if user is None:
            raise Declined(0, f"{to} is nobody here")
        hook = self._hook(thread, to)
        if hook and await self._follow_up(hook, card):
            return
        try:
            await self._direct(user, key, card)
        except Declined as problem:
            if problem.code != Code.NO_DIRECT_MESSAGES:
                raise
            await self.post(thread, key, _to(card, to))

    async def mark_seen(self, thread: Thread, message: str) -> None:
        if not message.isdecimal():
            return  # a form or a reaction: there is no message to mark
        place = Place.of(thread)
        try:
            await self._react(place.holds(message), message)
        except Gone:
            if place.holds(message) == place.root:
                raise
            await self._react(place.root, message)  # a thread of a forum holds its own first message

    def remember_webhook(self, thread: Thread, account: Account, path: str) -> None:
        """Keeps the webhook of an interaction, by which its person can be answered in private for a while."""
        self._hooks[thread, account] = (time.monotonic() + TOKEN_LIVES, path)

    async def root(self, channel: str, words: str, key: str) -> str:
        """Posts a message that quotes a command, so that a thread can start from it."""
        nonce = {"nonce": derive_id("nonce", channel, key), "enforce_nonce": True}
        body = {"content": words, "allowed_mentions": {"parse": []}, **nonce}
        return str((await self._rest.call("POST", f"/channels/{channel}/messages", body))["id"])

    async def line_with(self, user: str) -> Place:
        """The direct channel with somebody."""
        made = await self._rest.call("POST", "/users/@me/channels", {"recipient_id": user})
        return Place.direct(int(made["id"]))

    # ── how it is done ───────────────────────────────────────────────────────────────────────────────────────────

    async def _send(self, channel: str, card: Card, ref: str, more: Json) -> str:
        made = await self._show("POST", f"/channels/{channel}/messages", card, ref, more)
        self._references[made["id"]] = ref
        return str(made["id"])

    async def _change(self, channel: str, message: str, card: Card) -> None:
        path = f"/channels/{channel}/messages/{message}"
        try:
            await self._show("PATCH", path, card, await self._reference(message, path), {})
        except Vanished as problem:
            if problem.code == Code.UNKNOWN_MESSAGE:
                raise Deleted(str(problem)) from problem
            raise

    async def _reference(self, message: str, path: str) -> str:
        """What the message carries to be found by; empty where we may not read it back."""
        if message not in self._references:
            try:
                self._references[message] = reference_of(await self._rest.call("GET", path))
            except Barred:
                return ""
        return self._references[message]

    async def _show(self, method: str, path: str, card: Card, ref: str, more: Json) -> Json:
        """Send a card; in plain text where embeds are not allowed, which Discord tells only by leaving them out."""
        channel = path.split("/")[2]
        view = await self._render_with_picture(card, ref, channel)
        try:
            made = await self._put(method, path, view, more)
        except Barred:
            if not view.files:
                raise
            self._no_files.add(channel)  # Discord does not say which right is missing: without files it may go
            view = self._render(card, ref, channel)
            made = await self._put(method, path, view, more)
        if view.embeds and not made["embeds"]:
            self._no_embeds.add(channel)
            path = f"/channels/{channel}/messages/{made['id']}"
            return await self._put("PATCH", path, self._render(card, ref, channel), {})
        return made

    async def _render_with_picture(self, card: Card, ref: str, channel: str) -> Rendered:
        view = self._render(card, ref, channel)
        if card.graph is None or channel in self._no_files:
            return view
        return replace(view, files=(*view.files, await draw(card.graph)))

    def _render(self, card: Card, ref: str, channel: str) -> Rendered:
        may = May(embed=channel not in self._no_embeds, attach=channel not in self._no_files)
        return render(card, ref=ref, answer=not self.reads_replies, may=may)

    async def _put(self, method: str, path: str, view: Rendered, more: Json) -> Json:
        made = await self._call_unarchived(method, path, view.payload | more, view.files)
        return dict(made)

    async def _call_unarchived(
        self, method: str, path: str, body: object = None, files: Sequence[Attachment] = ()
    ) -> Any:
        """Calls the API, and unarchives the thread first if it must be."""
        try:
            return await self._rest.call(method, path, body, files)
        except Declined as problem:
            if problem.code != Code.ARCHIVED:
                raise
            await self._rest.call("PATCH", f"/channels/{path.split('/')[2]}", {"archived": False})
            return await self._rest.call(method, path, body, files)

    async def _open(self, place: Place, title: str) -> bool:
        """False: threads cannot be opened there, so we reply in the channel."""
        name = name_of(title, 100) or "Overlord"
        path = f"/channels/{place.channel}/messages/{place.root}/threads"
        try:
            await self._rest.call("POST", path, {"name": name, "auto_archive_duration": WEEK})
        except Declined as problem:
            if problem.code == Code.UNKNOWN_CHANNEL:  # deleted, or we were removed and may be asked back
                raise Barred(problem.code, "the channel is not there for us") from problem
            if problem.code in NO_THREADS:
                return False
            if problem.code != Code.THREAD_EXISTS:
                raise
        return True

    async def _find(self, channel: str, ref: str) -> str | None:
        me, before = await self._own_id(), ""
        for _ in range(PAGES):
            found = await self._rest.call("GET", f"/channels/{channel}/messages?limit={PAGE}{before}")
            for message in found:
                if message["author"]["id"] == me and mark_of(reference_of(message)) == mark_of(ref):
                    self._references[message["id"]] = ref
                    return str(message["id"])
            if len(found) < PAGE:
                return None
            before = f"&before={found[-1]['id']}"
        return None

    async def _direct(self, user: str, key: str, card: Card) -> None:
        thread = (await self.line_with(user)).thread
        if await self.find(thread, key) is None:
            await self.post(thread, key, card)

    async def _follow_up(self, path: str, card: Card) -> bool:
        """False: the token is no longer good."""
        view = render(card)
        try:
            await self._rest.answer("POST", path, view.payload | {"flags": 1 << 6}, view.files)
        except Declined as problem:
            if not isinstance(problem, Vanished) and problem.code != Code.TOKEN_EXPIRED:
                raise
            return False
        return True

    def _hook(self, thread: Thread, to: Account) -> str:
        until, path = self._hooks.get((thread, to), (0.0, ""))
        return path if time.monotonic() < until else ""

    async def _react(self, channel: str, message: str) -> None:
        await self._call_unarchived("PUT", f"/channels/{channel}/messages/{message}/reactions/{EYES}/@me")

    async def _own_id(self) -> str:
        if not self._me:
            self._me = str((await self._rest.call("GET", "/users/@me"))["id"])
        return self._me


def _to(card: Card, account: Account) -> Card:
    return Card(title=card.title, text=card.text, lines=card.lines, tone=card.tone, notify=(account,))
