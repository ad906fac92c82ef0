"""What was said or edited while nobody listened, read from the history and heard once."""

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
from bot.platforms.slack.gateway_store import Checkpoint
from bot.platforms.slack.incoming.receiver import Receiver
from bot.platforms.slack.options import SlackOptions
from bot.platforms.slack.payloads import Conversations, Message, Page
from bot.platforms.slack.web_client import translate_errors

log = logging.getLogger("overlord.slack")

PAGE, PAGES = 200, 50
TRIES = 5
OVERLAP = 60.0  # seconds read again: what is later may have been heard first
KINDS = "public_channel,private_channel,mpim,im"


@dataclass(frozen=True, slots=True, kw_only=True)
class News:
    at: str
    message: Message
    edited: bool = False  # it was heard before; now it says something else


class CatchUp:
    def __init__(self, client: AsyncWebClient, receiver: Receiver, options: SlackOptions, mark: Checkpoint) -> None:
        self._client = client
        self._checkpoint = mark
        self._receiver = receiver
        self._options = options
        self._turn = asyncio.Lock()

    async def run(self) -> None:
        """From the last thing that was heard in each place. A bot that never heard anything has missed nothing."""
        memory = self._options.memory
        if memory is None:
            return
        async with self._turn:
            mark = await memory.mark()
            known = await memory.last_heard(self._options.now() - timedelta(seconds=self._options.catch_up))
            floor = f"{time.time() - self._options.catch_up:.6f}"  # messages are numbered by Slack's clock, not by ours
            await catch_up(Heard(known=known, mark=mark, floor=floor), self._client, self._receiver)
            self._checkpoint.whole = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    known: Mapping[Thread, str]  # the last message that was heard in each thread of ours
    mark: str = ""  # up to here everything was heard, wherever it was; without one, up to the last of `known`
    floor: str  # what is older is not read


async def catch_up(heard: Heard, client: AsyncWebClient, receiver: Receiver) -> int:
    """Hear what came since, oldest first. Returns how much was new."""
    if not heard.known and not heard.mark:
        return 0
    places = {addresses.place(thread): _from(ts, heard.floor) for thread, ts in heard.known.items()}
    latest = _from(heard.mark, heard.floor) if heard.mark else max(places.values(), key=float)
    tops = {place.channel: latest for place in places}
    tops |= {channel: latest for channel in await _joined(client)}
    places |= {addresses.Place(channel=channel, ts=""): since for channel, since in tops.items()}
    found: dict[tuple[str, str, bool], News] = {}
    for place, since in places.items():
        async for message in _missed(client, place, since):
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
    """It is new, or its author edited it since, or both."""
    if float(message.ts) > float(since):
        yield News(at=message.ts, message=message)
    if message.edited and float(message.edited.ts or 0) > float(since):
        yield News(at=message.edited.ts, message=message, edited=True)


def _from(ts: str, floor: str) -> str:
    return f"{max(float(addresses.message_ts(ts)) - OVERLAP, float(floor)):.6f}"


async def _missed(client: AsyncWebClient, place: addresses.Place, since: str) -> AsyncIterator[Message]:
    """What stands in a channel or a thread after `since`, and what the thread began with, which Slack tells each time.

    Below a new message its replies too.
    """
    try:
        async for message in _pages(client, place, since):
            yield message
            if not place.ts and message.reply_count and float(message.latest_reply or 0) > float(since):
                async for reply in _missed(client, addresses.Place(channel=place.channel, ts=message.ts), since):
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


async def _joined(client: AsyncWebClient) -> list[str]:
    """Every conversation we are in, if we may ask."""
    try:
        with translate_errors():
            answer = await client.users_conversations(types=KINDS, exclude_archived=True, limit=1000)
            return [conversation.id for conversation in Conversations.model_validate(answer.data).channels]
    except (Refused, Later, Unsure):
        return []
