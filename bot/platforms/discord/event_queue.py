"""Handles Discord's events one after the other, and reads from the history what was missed. Outlives its clients."""

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial

import aiohttp
import discord

from agents.domain.ids import Thread
from bot.messages import Delivery, Edited, Said
from bot.platforms.discord import deliveries
from bot.platforms.discord.interactions import Interactions
from bot.platforms.discord.notation import Place
from bot.platforms.discord.options import DiscordOptions, DiscordStore
from bot.platforms.provider import Accept
from store.database import StoreUnavailable

log = logging.getLogger(__name__)

STORE_AGAIN, READ_AGAIN = 1.0, 15.0
SAVE_EVERY = 10.0
GUILDS_WITHIN = 5  # seconds
_PASSING = (TimeoutError, OSError, aiohttp.ClientError, discord.DiscordException, StoreUnavailable)
MOST = 1000  # messages of one place
OVERLAP = timedelta(minutes=1)  # messages of several channels do not arrive in the order of their ids
Heard = Callable[[], Awaitable[object]]
Readable = discord.TextChannel | discord.VoiceChannel | discord.Thread | discord.PartialMessageable


class GatewayClient(discord.Client):
    """A client that knows who it is and where it may listen."""

    @property
    def me(self) -> int:
        return self.user.id if self.user else 0

    async def guilds_known(self) -> None:
        """Waits until all guilds are loaded: a session starts with their ids only. Gives up on one with an outage."""
        for _ in range(GUILDS_WITHIN * 20):
            if not any(guild.unavailable for guild in self.guilds):
                return
            await asyncio.sleep(0.05)

    def hears(self, guild: int | None) -> bool:
        """Direct messages, and guilds we are in."""
        return guild is None or self.get_guild(guild) is not None


class EventQueue:
    """Stores what concerns the bot, in order, and catches up after each new connection."""

    def __init__(
        self, options: DiscordOptions, accept: Accept, store: DiscordStore, interactions: Interactions
    ) -> None:
        self._options, self._accept, self._store = options, accept, store
        self.interactions = interactions
        self.queue: asyncio.Queue[Heard] = asyncio.Queue()
        self._whole = False  # whether nothing was missed up to the last message taken in
        # messages read while catching up that were not for us; they may come again after their thread has become ours
        self._passed_over: set[int] = set()
        self._saved_at = 0.0

    async def begin(self) -> None:
        """Sets the cursor on the first start ever, so that nothing said from then on is lost to a crash."""
        with suppress(StoreUnavailable):
            if not await self._store.cursor():
                await self._store.save_cursor(discord.utils.time_snowflake(discord.utils.utcnow()))

    async def take_message(self, client: GatewayClient, message: discord.Message) -> bool:
        """Returns whether it concerned the bot and is stored."""
        stored = False
        if await self._is_heard(client, message):
            delivery = deliveries.to_said(message, client.me)
            if delivery and (delivery.mentions_bot or await self._concerns_us(delivery)):
                await self._deliver(await self._with_roles(delivery, message.author.id, message.author))
                stored = True
        await self._save_cursor(message.id)
        return stored

    async def take_edit(self, client: GatewayClient, message: discord.Message) -> None:
        if await self._is_heard(client, message):
            delivery = deliveries.to_edited(message, client.me)
            if delivery and await self._concerns_us(delivery):
                await self._deliver(delivery)

    async def take_reaction(self, client: GatewayClient, reaction: discord.RawReactionActionEvent) -> None:
        if reaction.message_id in self._passed_over:
            return
        if not client.hears(reaction.guild_id) or (reaction.member and reaction.member.bot):
            return
        channel = client.get_channel(reaction.channel_id) or await client.fetch_channel(reaction.channel_id)
        place = deliveries.place_in(channel, str(reaction.message_id))
        delivery = deliveries.stop_from_reaction(reaction, place, client.me, discord.utils.utcnow())
        if await self._concerns_us(delivery):
            await self._deliver(await self._with_roles(delivery, reaction.user_id, reaction.member))

    async def _with_roles(self, said: Said, user: int, met: object) -> Said:
        return replace(said, memberships=await self.interactions.roles.of(user, met))

    async def _concerns_us(self, delivery: Said | Edited) -> bool:
        """Only direct messages and threads in which the bot was spoken to; anything else is not stored."""
        place = Place.of(delivery.thread)
        return place.is_direct or await self._until_stored(lambda: self._store.knows(delivery.thread))

    async def catch_up(self, client: GatewayClient) -> None:
        """Reads what a new session missed. Queued like an event, so that older messages come first."""
        self._whole = False
        try:
            await self._read_missed(client)
        except _PASSING as problem:
            log.warning("what was missed cannot be read yet", extra={"problem": str(problem)})
            if not client.is_closed():
                asyncio.get_running_loop().call_later(READ_AGAIN, self.queue.put_nowait, partial(self.catch_up, client))

    async def _read_missed(self, client: GatewayClient) -> None:
        await client.guilds_known()
        cursor = await self._store.cursor()
        after = since(cursor, discord.utils.utcnow(), self._options.catch_up)
        missed = await missed_messages(client, after, await self._store.places(after))
        edited = await edited_requests(client, after, await self._store.requests())
        heard = [(message.created_at, partial(self._said_before, client, message)) for message in missed]
        heard += [(message.edited_at or after, partial(self.take_edit, client, message)) for message in edited]
        for _, take in sorted(heard, key=lambda one: one[0]):
            await take()
        cursor = max([cursor, *(message.id for message in missed)])
        self._whole, self._saved_at = True, 0.0
        await self._save_cursor(cursor)

    async def _said_before(self, client: GatewayClient, message: discord.Message) -> None:
        if not await self.take_message(client, message):
            self._passed_over.add(message.id)

    async def _deliver(self, delivery: Delivery) -> None:
        await self._until_stored(lambda: self._accept(delivery))

    @staticmethod
    async def _until_stored(ask: Callable[[], Awaitable[bool]]) -> bool:
        """Retries until the store is available: Discord does not send a message again."""
        while True:
            try:
                return await ask()
            except StoreUnavailable:
                await asyncio.sleep(STORE_AGAIN)

    async def _save_cursor(self, message: int) -> None:
        if self._whole and time.monotonic() - self._saved_at > SAVE_EVERY:
            with suppress(StoreUnavailable):
                await self._store.save_cursor(message)
                self._saved_at = time.monotonic()

    async def _is_heard(self, client: GatewayClient, message: discord.Message) -> bool:
        """Whether a person wrote it where the bot listens. Fetches a thread that the library does not know."""
        if message.id in self._passed_over or not deliveries.is_from_person(message):
            return False
        channel = message.channel
        if isinstance(channel, discord.PartialMessageable) and channel.guild_id:
            fetched = await client.fetch_channel(channel.id)
            if not isinstance(fetched, discord.Thread | discord.TextChannel):
                return False
            message.channel, message.guild = fetched, fetched.guild
        return client.hears(message.guild.id if message.guild else None)


# ── catching up ──────────────────────────────────────────────────────────────────────────────────────────────────


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
