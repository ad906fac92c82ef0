"""Reads from the history what was said or edited while the bot was away, and delivers each message once."""

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import dataclass
from datetime import timedelta

from slack_sdk.web.async_client import AsyncWebClient

from agents.domain.ids import Thread
from bot.messages import Later, Refused, Unsure
from bot.platforms.slack import addresses
from bot.platforms.slack.incoming.receiver import Receiver
from bot.platforms.slack.options import GatewayStore, SlackOptions
from bot.platforms.slack.payloads import Conversations, Message, Page
from bot.platforms.slack.web_client import translate_errors

log = logging.getLogger("overlord.slack")

PAGE, PAGES = 200, 50
TRIES = 5
OVERLAP = 60.0  # seconds read again: what is later may have been heard first
SAVE_EVERY = 10.0  # seconds between two saved cursors
AHEAD = 60.0  # seconds that Slack's clock may be ahead of ours
KINDS = "public_channel,private_channel,mpim,im"


@dataclass(frozen=True, slots=True, kw_only=True)
class News:
    at: str
    message: Message
    edited: bool = False  # it was heard before; now it says something else


class Checkpoint:
    """The newest message received, saved as the cursor only while nothing before it was missed."""

    def __init__(self, store: GatewayStore | None) -> None:
        self._store = store
        self._newest, self._saved_at = 0.0, 0.0
        self.whole = False

    def is_due(self, ts: str) -> bool:
        """QueryApi that a message was received. True: it is time to save."""
        at = addresses.seconds(ts)
        if at is not None and at < time.time() + AHEAD:
            self._newest = max(self._newest, at)
        return self.whole and self._newest > 0 and time.monotonic() - self._saved_at > SAVE_EVERY

    async def save(self) -> None:
        self._saved_at = time.monotonic()
        if self._store:
            await self._store.save_cursor(f"{self._newest:.6f}")


class CatchUp:
    def __init__(
        self, client: AsyncWebClient, receiver: Receiver, options: SlackOptions, checkpoint: Checkpoint
    ) -> None:
        self._client, self._receiver, self._options, self._checkpoint = client, receiver, options, checkpoint
        self._turn = asyncio.Lock()

    async def run(self) -> None:
        """Catches up from the cursor and the last message of each thread; does nothing on the first start ever."""
        store = self._options.store
        if store is None:
            return
        async with self._turn:
            cursor = await store.cursor()
            known = await store.last_heard(self._options.now() - timedelta(seconds=self._options.catch_up))
            floor = f"{time.time() - self._options.catch_up:.6f}"  # messages are numbered by Slack's clock, not by ours
            await catch_up(Heard(known=known, cursor=cursor, floor=floor), self._client, self._receiver)
            self._checkpoint.whole = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    known: Mapping[Thread, str]  # the last message that was heard in each thread of ours
    cursor: str = ""  # up to here everything was heard, wherever it was; without one, up to the last of `known`
    floor: str  # what is older is not read


async def catch_up(heard: Heard, client: AsyncWebClient, receiver: Receiver) -> int:
    """Delivers what came since, oldest first. Returns how much was new."""
    if not heard.known and not heard.cursor:
        return 0
    places = {addresses.place(thread): _start_of(ts, heard.floor) for thread, ts in heard.known.items()}
    latest = _start_of(heard.cursor, heard.floor) if heard.cursor else max(places.values(), key=float)
    tops = {place.channel: latest for place in places}
    tops |= {channel: latest for channel in await _own_channels(client)}
    places |= {addresses.Place(channel=channel, ts=""): since for channel, since in tops.items()}
    found: dict[tuple[str, str, bool], News] = {}
    for place, since in places.items():
        async for message in _read_since(client, place, since):
            for news in _news(message.model_copy(update={"channel": place.channel}), since):
                found[place.channel, message.ts, news.edited] = news
    new = 0
    for news in sorted(found.values(), key=lambda news: float(news.at)):
        taken = await (receiver.reread(news.message) if news.edited else receiver.read(news.message))
        new += taken is not None
    if new:
        log.info("caught up", extra={"messages": new})
    return new


def _news(message: Message, since: str) -> Iterator[News]:
    """A message may be new, edited since, or both."""
    if float(message.ts) > float(since):
        yield News(at=message.ts, message=message)
    if message.edited and float(message.edited.ts or 0) > float(since):
        yield News(at=message.edited.ts, message=message, edited=True)


def _start_of(ts: str, floor: str) -> str:
    return f"{max(float(addresses.message_ts(ts)) - OVERLAP, float(floor)):.6f}"


async def _read_since(client: AsyncWebClient, place: addresses.Place, since: str) -> AsyncIterator[Message]:
    """Messages of a channel or thread after `since`, with the thread's first one, which Slack always includes.

    In a channel also the replies below each message.
    """
    try:
        async for message in _pages(client, place, since):
            yield message
            if not place.ts and message.reply_count and float(message.latest_reply or 0) > float(since):
                async for reply in _read_since(client, addresses.Place(channel=place.channel, ts=message.ts), since):
                    yield reply
    except Refused as problem:  # the thread is gone, or we were asked to leave
        log.info("nothing to catch up here", extra={"channel": place.channel, "problem": str(problem)})


async def _pages(client: AsyncWebClient, place: addresses.Place, since: str) -> AsyncIterator[Message]:
    cursor = ""
    for _ in range(PAGES):
        page = await _page(client, place, since, cursor)
        for message in page.messages:
            yield message
        if not (cursor := page.next_cursor):
            return


async def _page(client: AsyncWebClient, place: addresses.Place, since: str, cursor: str) -> Page:
    for _ in range(TRIES):
        try:
            with translate_errors():
                if place.ts:
                    answer = await client.conversations_replies(
                        channel=place.channel, ts=place.ts, oldest=since, limit=PAGE, cursor=cursor
                    )
                else:
                    answer = await client.conversations_history(
                        channel=place.channel, oldest=since, limit=PAGE, cursor=cursor
                    )
                return Page.model_validate(answer.data)
        except Later as later:
            await asyncio.sleep(later.seconds)
        except Unsure:
            await asyncio.sleep(1.0)
    raise Refused("Slack did not show its history")


async def _own_channels(client: AsyncWebClient) -> list[str]:
    """Every conversation we are in, if we may ask."""
    try:
        with translate_errors():
            answer = await client.users_conversations(types=KINDS, exclude_archived=True, limit=1000)
            return [conversation.id for conversation in Conversations.model_validate(answer.data).channels]
    except (Refused, Later, Unsure):
        return []
