"""Slack as a chat platform: posts carry their key as metadata, so a post whose answer was lost can be found."""

import logging
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import aiohttp
from slack_sdk.errors import SlackApiError, SlackRequestError
from slack_sdk.web.async_client import AsyncWebClient

from agents.domain.ids import Account, Thread
from agents.domain.text.sanitize import one_line
from bot.messages import Bounds, Card, Gone, Later, Refused, Shut, Unsure
from bot.platforms.provider import Attachment, Recent, draw, text_files
from bot.platforms.slack import notation
from bot.platforms.slack.blocks import Rendered, render
from bot.platforms.slack.notation import Place, escape
from bot.platforms.slack.payloads import Mark, Posted
from bot.platforms.slack.web_client import Pace, direct_channel, error_of, read_messages, translate_errors

log = logging.getLogger("overlord.slack")

EVENT_TYPE = "overlord_post"
SEEN = "eyes"
PAGES = 25  # of a thread, in which a post is looked for
ECHOES = 2_000
FILE_TITLE, DESCRIBED = 120, 1_000  # characters


async def _files(card: Card, rendered: Rendered) -> list[Attachment]:
    """What goes with a card: its long texts, and its picture."""
    return [*rendered.files, *([await draw(card.graph)] if card.graph else [])]


class SlackPlatform:
    """Implements bot.messages.Platform."""

    name = notation.SLACK
    bounds = Bounds(title=150, text=3_000, rows=40, lines=100, buttons=25, label=75, whole=6_000)
    settle: float | None = None

    def __init__(self, client: AsyncWebClient, pace: Pace) -> None:
        self._client = client
        self._pace = pace
        # ids of our own posts that came back as events, by thread and key: some histories we may not read
        self.echoes = Recent[tuple[str, str], str](ECHOES)
        self._found: set[str] = set()  # posts of an earlier try, which may lack their files

    async def post(self, thread: Thread, key: str, card: Card) -> str:
        place, rendered = notation.place(thread), render(card)
        posted = await self._send(place, thread, key, text=rendered.text, blocks=rendered.blocks)
        if not posted.message.thread_ts:
            await self._remove_stray(place.channel, posted.ts)
        for file in await _files(card, rendered):
            await self._attach(place, file)
        return posted.ts

    async def edit(self, thread: Thread, message: str, card: Card) -> None:
        channel, rendered = notation.place(thread).channel, render(card, edit=True)
        with translate_errors():
            await self._client.chat_update(channel=channel, ts=message, text=rendered.text, blocks=rendered.blocks)
        if message in self._found:
            await self._attach_missing(thread, message, await _files(card, rendered))
            self._found.discard(message)

    async def find(self, thread: Thread, key: str) -> str | None:
        if found := await self._find_post(thread, key):
            self._found.add(found)  # whoever posted it may have died before its files were there
        return found

    async def _find_post(self, thread: Thread, key: str) -> str | None:
        place = notation.place(thread)
        if known := self.echoes.get((thread, key)):
            return known
        try:
            return await self._look(place, thread, key)
        except Gone:  # its first message was deleted, so a reply has landed outside
            if stray := await self._look(replace(place, ts=""), thread, key, oldest=place.ts):
                await self._remove_stray(place.channel, stray)
            return None
        except Refused as problem:  # not knowing is no leave to post again
            raise Unsure(f"I may not read there: {problem}") from problem

    async def begin(self, channel: str, key: str, words: str) -> Thread:
        place, mark = notation.place(channel), Thread(channel)
        # what was begun earlier than the latest messages was taken in long ago
        ts = self.echoes.get((mark, key)) or await self._look(place, mark, key)
        return Thread(f"{channel}:{ts or (await self._send(place, mark, key, text=escape(words))).ts}")

    async def permalink(self, thread: Thread, message: str) -> str:
        with translate_errors():
            answer = await self._client.chat_getPermalink(channel=notation.place(thread).channel, message_ts=message)
        return str(answer.data["permalink"]) if isinstance(answer.data, dict) else ""

    async def whisper(self, thread: Thread, to: Account, key: str, card: Card) -> None:
        if card.files:  # a message that one person alone sees carries none
            await self._send_directly(to, key, card)
            card = Card(title=card.title, text="I sent it to you in a direct message.")
        place, rendered = notation.place(thread), render(card)
        try:
            if card.direct:
                raise Shut("nobody would see it there")
            with translate_errors():
                await self._client.chat_postEphemeral(
                    channel=place.channel,
                    user=notation.user(to),
                    thread_ts=place.ts,
                    text=rendered.text,
                    blocks=rendered.blocks,
                )
        except (Gone, Shut):
            with translate_errors():
                await self._client.chat_postMessage(
                    channel=notation.user(to), text=rendered.text, unfurl_links=False, unfurl_media=False
                )

    async def mark_seen(self, thread: Thread, message: str) -> None:
        channel, ts = notation.place(thread).channel, notation.message_ts(message)
        with translate_errors():
            try:
                await self._client.reactions_add(channel=channel, timestamp=ts, name=SEEN)
            except SlackApiError as problem:
                if error_of(problem) != "already_reacted":
                    raise

    # ── how it is done ──────────────────────────────────────────────────────────────────────────────────────────

    async def _send(self, place: Place, thread: Thread, key: str, **shown: Any) -> Posted:
        """Posts with a mark by which it is found again."""
        await self._pace.turn(place.channel)
        with translate_errors():
            answer = await self._client.chat_postMessage(
                channel=place.channel,
                thread_ts=place.ts or None,
                metadata={"event_type": EVENT_TYPE, "event_payload": {"id": key, "thread": thread}},
                unfurl_links=False,
                unfurl_media=False,
                **shown,
            )
            return Posted.model_validate(answer.data)

    async def _look(self, place: Place, thread: Thread, key: str, oldest: str = "0") -> str | None:
        """The post with this mark in a thread, or among the latest messages of a channel."""
        pages, mark = PAGES if place.ts else 1, Mark(id=key, thread=thread)
        async for message in read_messages(self._client, place, oldest=oldest, pages=pages):
            if message.metadata and message.metadata.mark == mark:
                return message.ts
        return None

    async def _remove_stray(self, channel: str, ts: str) -> None:
        """A reply to a deleted message lands at the top of the channel, where its buttons would mean nothing."""
        with translate_errors():
            await self._client.chat_delete(channel=channel, ts=ts)
        raise Gone("the thread's first message was deleted")

    async def _send_directly(self, to: Account, key: str, card: Card) -> None:
        """Long texts, under a message of ours in the direct channel; the same key sends them once."""
        line = notation.channel(notation.team(to), await direct_channel(self._client, notation.user(to)))
        thread = await self.begin(line, key, f"{card.title}. {card.text}")
        await self._attach_missing(thread, "", text_files(card, whole=False))

    async def _attach_missing(self, thread: Thread, after: str, files: Sequence[Attachment]) -> None:
        """Uploads the files that an earlier attempt did not."""
        if files:
            place = notation.place(thread)
            there = read_messages(self._client, place, pages=PAGES)
            names = {each.name async for message in there if message.ts > after for each in message.files}
            for file in files:
                if file.name not in names:
                    await self._attach(place, file)

    async def _attach(self, place: Place, file: Attachment) -> None:
        """The rest of a card, or its picture. The message stands without it: a file that is lost costs no decision."""
        try:
            await self._client.files_upload_v2(
                file=file.content,
                filename=file.name,
                title=one_line(file.says, FILE_TITLE),
                alt_txt=one_line(file.says, DESCRIBED),
                channel=place.channel,
                thread_ts=place.ts,
            )
        except (Later, SlackApiError, SlackRequestError, aiohttp.ClientError, TimeoutError, AttributeError) as problem:
            log.warning("a file was not attached", extra={"problem": str(problem)})
