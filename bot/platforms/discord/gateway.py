"""Runs a Discord client, and replaces it when it fails or stops receiving."""

import asyncio
import logging
import socket
import threading
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from datetime import timedelta
from functools import partial
from typing import Any
from urllib.parse import urlsplit

import discord
import yarl
from discord.gateway import KeepAliveHandler

from bot.config.settings import Settings
from bot.intake.inbox import Inbox
from bot.messages import Platform
from bot.platforms.discord import DiscordSettings, deliveries
from bot.platforms.discord.event_queue import EventQueue, GatewayClient
from bot.platforms.discord.interactions import Interactions
from bot.platforms.discord.options import DiscordOptions, DiscordStore
from bot.platforms.discord.platform import DiscordPlatform
from bot.platforms.discord.rest import Rest, trace_waits
from bot.platforms.provider import Accept, Waits
from bot.platforms.provider_setup import packaged_manifest, reveal
from bot.queries.query_api import QueryApi
from bot.services import Services

log = logging.getLogger(__name__)

LONGEST_PAUSE = 10.0  # seconds between two tries to connect
GOODBYE = 3.0  # how long closing a socket may take
NO_CONTENT = (
    "Discord does not let me read messages that do not mention me: the message-content intent is off. "
    "Mention me in replies, or use the Answer… button; to fix it, open the Developer Portal, Bot, "
    "Privileged Gateway Intents, switch on Message Content and start me again."
)
BAD_TOKEN = "Discord refuses the token: set DISCORD_TOKEN to the one from Developer Portal, Bot, Reset Token."


@asynccontextmanager
async def connect(settings: Settings, services: Services, inbox: Inbox, queries: QueryApi) -> AsyncIterator[Platform]:
    section, database = settings.section(DiscordSettings), services.database
    options = DiscordOptions(
        token=reveal(section.token),
        api_url=section.api_url,
        gateway_url=section.gateway_url,
        roles=settings.memberships("discord-role"),
        commands=packaged_manifest("discord")["commands"],
        catch_up=timedelta(seconds=settings.limits.catch_up),
        redact=services.redact,
        waits=await Waits.recall("discord", database),
    )
    async with open_gateway(options, inbox.accept, DiscordStore("discord", database)) as platform:
        yield platform


@asynccontextmanager
async def open_gateway(options: DiscordOptions, accept: Accept, store: DiscordStore) -> AsyncIterator[DiscordPlatform]:
    """Listens while the block runs; yields the platform. Does not wait for Discord."""
    discord.http.Route.BASE = options.api_url.rstrip("/")
    discord.gateway.DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL(options.gateway_url)
    async with Rest(options.api_url, options.token, options.timeout, options.waits) as rest:
        platform = DiscordPlatform(rest)
        interactions = Interactions(options, platform, rest, accept, store)
        events = EventQueue(options, accept, store, interactions)
        await events.begin()
        tasks = [asyncio.create_task(_handle_events(events), name="discord-events")]
        tasks.append(asyncio.create_task(_supervise(options, events, platform), name="discord-supervisor"))
        try:
            yield platform
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)


async def _handle_events(events: EventQueue) -> None:
    """Handles events forever. An error in one is logged and does not stop the next."""
    while True:
        heard = await events.queue.get()
        try:
            await heard()
        except Exception:
            log.exception("something heard on discord could not be taken in")


async def _supervise(options: DiscordOptions, events: EventQueue, platform: DiscordPlatform) -> None:
    pause = 0.5
    while True:
        born = time.monotonic()
        problem = await _run_client(Listener(options, events, content=platform.reads_replies))
        if problem == BAD_TOKEN:
            log.error("discord stopped", extra={"problem": problem})
            return
        if problem == NO_CONTENT:
            platform.reads_replies = False
            log.warning("discord is half deaf", extra={"problem": problem})
            continue
        pause = 0.5 if time.monotonic() - born > 60 else min(pause * 2, LONGEST_PAUSE)
        await asyncio.sleep(pause)


async def _run_client(client: "Listener") -> str:
    """Runs one client until it ends; returns what the operator has to mend, if anything."""
    start = asyncio.create_task(client.start(client.options.token))
    watch = asyncio.create_task(client.watch())
    try:
        await asyncio.wait((start, watch), return_when=asyncio.FIRST_COMPLETED)
        if start.done():
            start.result()
    except discord.LoginFailure:
        return BAD_TOKEN
    except discord.PrivilegedIntentsRequired:
        return NO_CONTENT
    except discord.ConnectionClosed as closed:
        if closed.code == 4004:
            return BAD_TOKEN
        log.warning("discord closed the connection", extra={"code": closed.code})
    except Exception as problem:
        log.warning("the discord client died", extra={"problem": f"{type(problem).__name__}: {problem}"})
    finally:
        await _close(client, start, watch)
    return ""


async def _close(client: "Listener", *tasks: asyncio.Task[None]) -> None:
    """Closes the client within a few seconds, since a dead socket never answers."""
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    for goodbye in (client.leave, client.close):
        with suppress(TimeoutError, discord.DiscordException, OSError):
            async with asyncio.timeout(GOODBYE):
                await goodbye()
        client.hang_up()


class Listener(GatewayClient):
    """Queues events in the order in which they came; interactions are answered at once."""

    def __init__(self, options: DiscordOptions, events: EventQueue, *, content: bool) -> None:
        super().__init__(
            intents=discord.Intents(guilds=True, messages=True, reactions=True, message_content=content),
            max_messages=None,
            chunk_guilds_at_startup=False,
            member_cache_flags=discord.MemberCacheFlags.none(),
            http_trace=trace_waits(options.waits, urlsplit(options.api_url).path),
            enable_debug_events=True,  # so that every packet is a sign of life
        )
        self.options, self._events = options, events
        self._heard_at = time.monotonic()

    def dispatch(self, event: str, /, *args: Any, **kwargs: Any) -> None:
        if event == "socket_raw_receive":
            self._heard_at = time.monotonic()
        else:
            super().dispatch(event, *args, **kwargs)

    async def watch(self) -> None:
        """Sends extra heartbeats and reconnects a silent socket. Returns when that did not help."""
        strikes, cut_at = 0, 0.0
        while strikes < 2:
            await asyncio.sleep(self.options.beat)
            if self._heard_at > cut_at:
                strikes = 0
            if time.monotonic() - max(self._heard_at, cut_at) > self.options.silence:
                strikes, cut_at = strikes + 1, time.monotonic()
                self.hang_up()  # first let the library resume its session
            elif self.ws is not None and self.ws.open and (pulse := self.ws._keep_alive):
                with suppress(OSError, RuntimeError, discord.ConnectionClosed):
                    await self.ws.send_heartbeat(pulse.beat())  # its own pulse, or it would think itself behind

    async def leave(self) -> None:
        """Also stops the library's heartbeats, which are threads and would outlive us.

        One belongs to a connection that was just being made, which the library has not given a name yet.
        """
        for thread in threading.enumerate():
            if isinstance(thread, KeepAliveHandler) and thread.ws._connection is self._connection:
                thread.stop()
        if self.ws is not None:
            await self.ws.close(code=1000)

    def hang_up(self) -> None:
        """Cuts the connection without a closing handshake, which a dead peer would not answer."""
        raw = self.ws.socket.get_extra_info("socket") if self.ws is not None and self.ws.open else None
        if raw is not None:
            with suppress(OSError):
                raw.shutdown(socket.SHUT_RDWR)

    # ── events ───────────────────────────────────────────────────────────────────────────────────────────────────

    async def setup_hook(self) -> None:
        """Registers the slash command, where it is not what Discord knows already."""
        me, wanted = self.application_id or 0, list(self.options.commands)
        with suppress(discord.HTTPException):
            if [*map(_shape, await self.http.get_global_commands(me))] != [*map(_shape, wanted)]:
                await self.http.bulk_upsert_global_commands(me, wanted)

    async def on_connect(self) -> None:
        self._events.queue.put_nowait(partial(self._events.catch_up, self))

    async def on_message(self, message: discord.Message) -> None:
        self._events.queue.put_nowait(partial(self._events.take_message, self, message))

    async def on_raw_message_edit(self, change: discord.RawMessageUpdateEvent) -> None:
        self._events.queue.put_nowait(partial(self._events.take_edit, self, change.message))

    async def on_raw_reaction_add(self, reaction: discord.RawReactionActionEvent) -> None:
        if str(reaction.emoji) == deliveries.STOP and reaction.user_id != self.me:
            self._events.queue.put_nowait(partial(self._events.take_reaction, self, reaction))

    async def on_interaction(self, interaction: discord.Interaction) -> None:
        if interaction.application_id == self.application_id and self.hears(interaction.guild_id):
            await self._events.interactions.meet(interaction)


def _shape(command: Any) -> Any:
    options = [{key: o.get(key) for key in ("name", "type", "description")} for o in command.get("options") or []]
    return command.get("name"), command.get("description"), options
