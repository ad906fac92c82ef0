"""Reads from the history what was said while the bot was away."""

import logging
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from datetime import datetime, timedelta

import discord

from agents.domain.ids import Thread
from bot.platforms.discord.addresses import Place

log = logging.getLogger(__name__)

MOST = 1000  # messages of one place
OVERLAP = timedelta(minutes=1)  # messages of several channels do not arrive in the order of their ids
Readable = discord.TextChannel | discord.VoiceChannel | discord.Thread | discord.PartialMessageable


def since(cursor: int, now: datetime, most: timedelta) -> datetime:
    """When to read from: the cursor, but at most `most` ago."""
    return max(discord.utils.snowflake_time(cursor) - OVERLAP, now - most)


async def missed_messages(client: discord.Client, after: datetime, known: Sequence[Thread]) -> list[discord.Message]:
    """Everything that was written since, oldest first, in channels and threads we see and in those we know."""
    found: dict[int, discord.Message] = {}
    async for place in _places(client, after, known):
        try:
            async for message in place.history(after=after, oldest_first=True, limit=MOST):
                found[message.id] = message
        except (discord.Forbidden, discord.NotFound) as problem:
            log.info("a channel cannot be read", extra={"channel": place.id, "problem": str(problem)})
    return [found[id] for id in sorted(found)]


async def edited_requests(client: discord.Client, after: datetime, requests: Sequence[Thread]) -> list[discord.Message]:
    """The first messages of these threads that were edited since."""
    found: list[discord.Message] = []
    for place in map(Place.of, requests):
        if not place.is_direct:  # there a request is one message among others
            channel = client.get_partial_messageable(int(place.channel), guild_id=int(place.guild))
            with suppress(discord.NotFound, discord.Forbidden):
                found.append(await channel.fetch_message(int(place.root)))
    return [message for message in found if message.edited_at and message.edited_at > after]


async def _places(client: discord.Client, after: datetime, known: Sequence[Thread]) -> AsyncIterator[Readable]:
    seen: set[int] = set()
    cursor = discord.utils.time_snowflake(after)
    for guild in client.guilds:
        channels: list[discord.TextChannel | discord.VoiceChannel | discord.Thread] = []
        channels += [*guild.text_channels, *guild.voice_channels, *guild.threads]
        for channel in channels:
            seen.add(channel.id)
            if (channel.last_message_id or 0) > cursor:
                yield channel
    for thread in known:
        place = Place.of(thread)
        if int(place.root) not in seen:
            seen.add(int(place.root))
            if place.is_direct:
                yield client.get_partial_messageable(int(place.channel), type=discord.ChannelType.private)
            elif archived := await _fetch_thread(client, int(place.root)):
                yield archived


async def _fetch_thread(client: discord.Client, id: int) -> discord.Thread | None:
    """An archived thread is not in the client's cache, so it is fetched."""
    with suppress(discord.NotFound, discord.Forbidden):
        channel = await client.fetch_channel(id)
        return channel if isinstance(channel, discord.Thread) else None
    return None
