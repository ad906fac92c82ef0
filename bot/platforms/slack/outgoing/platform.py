"""Slack as a chat platform: posts carry their key as metadata, so a post whose answer was lost can be found."""

import asyncio
import logging
from collections import OrderedDict
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass

import aiohttp
from slack_sdk.errors import SlackApiError, SlackRequestError
from slack_sdk.web.async_client import AsyncWebClient

from agents.domain.ids import Account, Thread
from agents.domain.text.sanitize import clean, one_line
from bot.delivery.pictures import png
from bot.messages import Bounds, Card, Gone, Later, Refused, Shut, Unsure
from bot.platforms.slack import addresses
from bot.platforms.slack.outgoing.blocks import render
from bot.platforms.slack.outgoing.mrkdwn import escape
from bot.platforms.slack.payloads import Mark, Message, Page, Posted
from bot.platforms.slack.web_client import Pace, error_of, translate_errors

log = logging.getLogger("overlord.slack")

EVENT_TYPE = "overlord_post"
SEEN = "eyes"
PAGE, PAGES = 200, 25
ECHOES = 2_000


class Echoes:
    """Keys of our own posts that came back as events, for channels whose history we may not read."""

    def __init__(self) -> None:
        self._known: OrderedDict[tuple[str, str], str] = OrderedDict()

    def record(self, mark: Mark, ts: str) -> None:
        self._known[mark.thread, mark.id] = ts
        while len(self._known) > ECHOES:
            self._known.popitem(last=False)

    def find(self, thread: Thread, key: str) -> str | None:
        return self._known.get((thread, key))


@dataclass(frozen=True, slots=True, kw_only=True)
class Attachment:
    name: str
    data: bytes
    says: str


async def _files(card: Card, whole: str) -> list[Attachment]:
    """What goes with a card: all that it says where it is too long, long texts, its picture."""
    files = [Attachment(name="whole.txt", data=whole.encode(), says="Everything the card says")] if whole else []
    files += [Attachment(name=each.name, data=clean(each.text).encode(), says=each.name) for each in card.files]
    if card.graph:
        picture = await asyncio.to_thread(png, card.graph)
        files.append(Attachment(name="plan.png", data=picture, says=card.graph.text))
    return files


class SlackPlatform:
    """Implements bot.messages.Platform."""

    name = addresses.SLACK
    bounds = Bounds(title=150, text=3_000, rows=40, lines=100, buttons=25, label=75, whole=6_000)
    settle: float | None = None

    def __init__(self, client: AsyncWebClient, pace: Pace) -> None:
        self._client = client
        self._pace = pace
        self.echoes = Echoes()
        self._found: set[str] = set()  # posts of an earlier try, which may lack their files

    async def post(self, thread: Thread, key: str, card: Card) -> str:
        place, rendered = addresses.place(thread), render(card)
        await self._pace.turn(place.channel)
        with translate_errors():
            answer = await self._client.chat_postMessage(
                channel=place.channel,
                thread_ts=place.ts,
                text=rendered.text,
                blocks=rendered.blocks,
                metadata={"event_type": EVENT_TYPE, "event_payload": {"id": key, "thread": thread}},
                unfurl_links=False,
                unfurl_media=False,
            )
            posted = Posted.model_validate(answer.data)
        if not posted.message.thread_ts:
            await self._remove_stray(place.channel, posted.ts)
        for file in await _files(card, rendered.whole):
            await self._attach(place, file)
        return posted.ts

    async def edit(self, thread: Thread, message: str, card: Card) -> None:
        channel, rendered = addresses.place(thread).channel, render(card, edit=True)
        with translate_errors():
            await self._client.chat_update(channel=channel, ts=message, text=rendered.text, blocks=rendered.blocks)
        if message in self._found:
            await self._attach_missing(thread, message, await _files(card, rendered.whole))
            self._found.discard(message)

    async def find(self, thread: Thread, key: str) -> str | None:
        if found := await self._find_post(thread, key):
            self._found.add(found)  # whoever posted it may have died before its files were there
        return found

    async def _find_post(self, thread: Thread, key: str) -> str | None:
        if known := self.echoes.find(thread, key):
            return known
        try:
            return await self._look(self._replies(thread), thread, key)
        except Gone:  # its first message was deleted, so a reply has landed outside
            stray = await self._look(self._history(thread), thread, key)
            if stray:
                await self._remove_stray(addresses.place(thread).channel, stray)
            return None
        except Refused as problem:  # not knowing is no leave to post again
            raise Unsure(f"I may not read there: {problem}") from problem

    async def begin(self, channel: str, key: str, words: str) -> Thread:
        place, mark = addresses.place(channel), Thread(channel)
        ts = self.echoes.find(mark, key) or await self._look(self._top(place.channel), mark, key)
        if ts is None:
            await self._pace.turn(place.channel)
            with translate_errors():
                answer = await self._client.chat_postMessage(
                    channel=place.channel,
                    text=escape(words),
                    metadata={"event_type": EVENT_TYPE, "event_payload": {"id": key, "thread": channel}},
                    unfurl_links=False,
                    unfurl_media=False,
                )
                ts = Posted.model_validate(answer.data).ts
        return Thread(f"{channel}:{ts}")

    async def permalink(self, thread: Thread, message: str) -> str:
        with translate_errors():
            answer = await self._client.chat_getPermalink(channel=addresses.place(thread).channel, message_ts=message)
        return str(answer.data["permalink"]) if isinstance(answer.data, dict) else ""

    async def whisper(self, thread: Thread, to: Account, key: str, card: Card) -> None:
        if card.files:  # a message that one person alone sees carries none
            await self._send_directly(to, key, card)
            card = Card(title=card.title, text="I sent it to you in a direct message.")
        place, rendered = addresses.place(thread), render(card)
        try:
            if card.direct:
                raise Shut("nobody would see it there")
            with translate_errors():
                await self._client.chat_postEphemeral(
                    channel=place.channel,
                    user=addresses.user(to),
                    thread_ts=place.ts,
                    text=rendered.text,
                    blocks=rendered.blocks,
                )
        except (Gone, Shut):
            with translate_errors():
                await self._client.chat_postMessage(
                    channel=addresses.user(to), text=rendered.text, unfurl_links=False, unfurl_media=False
                )

    async def mark_seen(self, thread: Thread, message: str) -> None:
        channel, ts = addresses.place(thread).channel, addresses.message_ts(message)
        with translate_errors():
            try:
                await self._client.reactions_add(channel=channel, timestamp=ts, name=SEEN)
            except SlackApiError as problem:
                if error_of(problem) != "already_reacted":
                    raise

    # ── looking for a post ──────────────────────────────────────────────────────────────────────────────────────

    @staticmethod
    async def _look(messages: AsyncIterator[Message], thread: Thread, key: str) -> str | None:
        async for message in messages:
            if message.metadata and message.metadata.mark == Mark(id=key, thread=thread):
                return message.ts
        return None

    async def _replies(self, thread: Thread) -> AsyncIterator[Message]:
        place, cursor = addresses.place(thread), ""
        for _ in range(PAGES):
            with translate_errors():
                answer = await self._client.conversations_replies(
                    channel=place.channel, ts=place.ts, limit=PAGE, cursor=cursor, include_all_metadata=True
                )
                page = Page.model_validate(answer.data)
            for message in page.messages:
                yield message
            if not (cursor := page.next_cursor):
                return

    async def _top(self, channel: str) -> AsyncIterator[Message]:
        """The latest of a channel; what was begun earlier than those was taken in long ago."""
        with translate_errors():
            answer = await self._client.conversations_history(channel=channel, limit=PAGE, include_all_metadata=True)
            page = Page.model_validate(answer.data)
        for message in page.messages:
            yield message

    async def _history(self, thread: Thread) -> AsyncIterator[Message]:
        place = addresses.place(thread)
        with translate_errors():
            answer = await self._client.conversations_history(
                channel=place.channel, oldest=place.ts, limit=PAGE, include_all_metadata=True
            )
            page = Page.model_validate(answer.data)
        for message in page.messages:
            yield message

    # ── around ──────────────────────────────────────────────────────────────────────────────────────────────────

    async def _remove_stray(self, channel: str, ts: str) -> None:
        """A reply to a deleted message lands at the top of the channel, where its buttons would mean nothing."""
        with translate_errors():
            await self._client.chat_delete(channel=channel, ts=ts)
        raise Gone("the thread's first message was deleted")

    async def _send_directly(self, to: Account, key: str, card: Card) -> None:
        """Long texts, under a message of ours in the direct channel; the same key sends them once."""
        with translate_errors():
            answer = await self._client.conversations_open(users=addresses.user(to))
            line = str(answer["channel"]["id"])
        thread = await self.begin(addresses.channel(addresses.team(to), line), key, f"{card.title}. {card.text}")
        await self._attach_missing(thread, "", await _files(card, ""))

    async def _attach_missing(self, thread: Thread, after: str, files: Sequence[Attachment]) -> None:
        """Uploads the files that an earlier attempt did not."""
        if files:
            later = [message async for message in self._replies(thread) if message.ts > after]
            there = {each.name for message in later for each in message.files}
            for file in files:
                if file.name not in there:
                    await self._attach(addresses.place(thread), file)

    async def _attach(self, place: addresses.Place, file: Attachment) -> None:
        """The rest of a card, or its picture. The message stands without it: a file that is lost costs no decision."""
        title = one_line(file.says, 120)
        try:
            await self._client.files_upload_v2(
                file=file.data,
                filename=file.name,
                title=title,
                alt_txt=title,
                channel=place.channel,
                thread_ts=place.ts,
            )
        except (Later, SlackApiError, SlackRequestError, aiohttp.ClientError, TimeoutError, AttributeError) as problem:
            log.warning("a file was not attached", extra={"problem": str(problem)})
