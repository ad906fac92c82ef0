"""Reads from the history what was said or edited while the bot was away, and delivers each message once."""

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Mapping
from datetime import timedelta

from slack_sdk.web.async_client import AsyncWebClient

from agents.domain.ids import Thread
from bot.messages import Later, Refused, Unsure
from bot.platforms.slack import notation
from bot.platforms.slack.notation import Place
from bot.platforms.slack.options import SlackOptions, SlackStore
from bot.platforms.slack.payloads import Conversations, Message
from bot.platforms.slack.receiver import Receiver
from bot.platforms.slack.web_client import read_messages, translate_errors

log = logging.getLogger("overlord.slack")

PAGES, TRIES = 50, 5
OVERLAP = 60.0  # seconds read again: what is later may have been heard first
SAVE_EVERY = 10.0  # seconds between two saved cursors
AHEAD = 60.0  # seconds that Slack's clock may be ahead of ours
KINDS = "public_channel,private_channel,mpim,im"
MICRO = 1_000_000  # the cursor is kept in whole microseconds


class Checkpoint:
    """The newest message received, saved as the cursor only while nothing before it was missed."""

    def __init__(self, store: SlackStore) -> None:
        self._store = store
        self._newest, self._saved_at = 0.0, 0.0
        self.whole = False

    def is_due(self, ts: str) -> bool:
        """Notes that a message was received. True: it is time to save."""
        at = notation.seconds(ts)
        if at is not None and at < time.time() + AHEAD:
            self._newest = max(self._newest, at)
        return self.whole and self._newest > 0 and time.monotonic() - self._saved_at > SAVE_EVERY

    async def save(self) -> None:
        self._saved_at = time.monotonic()
        await self._store.save_cursor(int(self._newest * MICRO))


class CatchUp:
    def __init__(
        self, client: AsyncWebClient, receiver: Receiver, options: SlackOptions, checkpoint: Checkpoint
    ) -> None:
        self._client, self._receiver, self._options, self._checkpoint = client, receiver, options, checkpoint
        self._turn = asyncio.Lock()

    async def run(self) -> None:
        """Catches up from the cursor and the last message of each thread; does nothing on the first start ever."""
        store, most = self._receiver.store, self._options.limits.catch_up
        async with self._turn:
            cursor = await store.cursor() / MICRO
            known = await store.last_heard(self._options.now() - timedelta(seconds=most))
            if known or cursor:
                floor = time.time() - most  # messages are numbered by Slack's clock, not by ours
                await self._deliver_missed(await self._places(known, cursor, floor))
            self._checkpoint.whole = True

    async def _places(self, known: Mapping[Thread, str], cursor: float, floor: float) -> dict[Place, float]:
        """Where to read, and from when. Up to `cursor` everything was heard, wherever it was; without one, up to the
        last message in `known`. What is older than `floor` is not read.
        """
        last = {notation.place(thread): float(notation.message_ts(ts)) for thread, ts in known.items()}
        places = {place: max(at - OVERLAP, floor) for place, at in last.items()}
        latest = max((cursor or max(last.values())) - OVERLAP, floor)
        channels = {place.channel for place in places} | set(await self._own_channels())
        return places | {Place(channel=channel, ts=""): latest for channel in channels}

    async def _deliver_missed(self, places: Mapping[Place, float]) -> None:
        """Delivers what came since, oldest first. A message may be new, edited since, or both."""
        said: dict[tuple[str, str], tuple[float, Message]] = {}
        edited: dict[tuple[str, str], tuple[float, Message]] = {}
        for place, since in places.items():
            async for read in self._read_since(place, since):
                message = read.model_copy(update={"channel": place.channel})
                at, edited_at = float(message.ts), float(message.edited.ts or 0) if message.edited else 0.0
                if at > since:
                    said[message.channel, message.ts] = (at, message)
                if edited_at > since:
                    edited[message.channel, message.ts] = (edited_at, message)
        found = [(*each, self._receiver.read) for each in said.values()]
        found += [(*each, self._receiver.reread) for each in edited.values()]
        new = 0
        for _, message, take in sorted(found, key=lambda each: each[0]):
            new += await take(message)
        if new:
            log.info("caught up", extra={"messages": new})

    async def _read_since(self, place: Place, since: float) -> AsyncIterator[Message]:
        """Messages of a channel or thread after `since`, with the thread's first one, which Slack always includes.

        In a channel also the replies below each message.
        """
        oldest = f"{since:.6f}"
        try:
            async for message in read_messages(self._client, place, oldest=oldest, pages=PAGES, tries=TRIES):
                yield message
                if not place.ts and message.reply_count and float(message.latest_reply or 0) > since:
                    async for reply in self._read_since(Place(channel=place.channel, ts=message.ts), since):
                        yield reply
        except (Refused, Later, Unsure) as problem:  # the thread is gone, we were asked to leave, or Slack is away
            log.info("nothing to catch up here", extra={"channel": place.channel, "problem": str(problem)})

    async def _own_channels(self) -> list[str]:
        """Every conversation we are in, if we may ask."""
        try:
            with translate_errors():
                answer = await self._client.users_conversations(types=KINDS, exclude_archived=True, limit=1000)
                return [conversation.id for conversation in Conversations.model_validate(answer.data).channels]
        except (Refused, Later, Unsure):
            return []
