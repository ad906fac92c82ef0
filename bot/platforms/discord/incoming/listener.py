"""discord.py's client, which queues events and notices when its connection is dead."""

import asyncio
import socket
import threading
import time
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

import discord
from discord.gateway import KeepAliveHandler

from bot.platforms.discord.incoming import deliveries
from bot.platforms.discord.incoming.event_queue import EventQueue, GatewayClient
from bot.platforms.discord.options import DiscordOptions
from bot.platforms.discord.rate_limits import trace_waits


class Listener(GatewayClient):
    """Queues events in the order in which they came; interactions are answered at once."""

    def __init__(self, options: DiscordOptions, events: EventQueue, *, content: bool) -> None:
        intents = discord.Intents(
            guilds=True,
            guild_messages=True,
            dm_messages=True,
            guild_reactions=True,
            dm_reactions=True,
            message_content=content,
        )
        super().__init__(
            intents=intents,
            max_messages=None,
            chunk_guilds_at_startup=False,
            member_cache_flags=discord.MemberCacheFlags.none(),
            http_trace=trace_waits(options.waits, urlsplit(options.api_url).path),
            enable_debug_events=True,  # so that every packet is a sign of life
        )
        self.options, self.allowed = options, options.guilds
        self._events = events
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
        wanted = list(self.options.commands)
        with suppress(discord.HTTPException):
            known = await self.http.get_global_commands(self.application_id or 0)
            if [_shape(command) for command in known] != [_shape(command) for command in wanted]:
                await self.http.bulk_upsert_global_commands(self.application_id or 0, wanted)

    async def on_connect(self) -> None:
        self._events.put(lambda: self._events.catch_up(self))

    async def on_message(self, message: discord.Message) -> None:
        self._events.put(lambda: self._events.take_message(self, message))

    async def on_raw_message_edit(self, change: discord.RawMessageUpdateEvent) -> None:
        self._events.put(lambda: self._events.take_edit(self, change.message))

    async def on_raw_reaction_add(self, reaction: discord.RawReactionActionEvent) -> None:
        if str(reaction.emoji) == deliveries.STOP and reaction.user_id != self.me:
            self._events.put(lambda: self._events.take_reaction(self, reaction))

    async def on_interaction(self, interaction: discord.Interaction) -> None:
        ours = interaction.application_id == self.application_id
        if ours and self.hears(interaction.guild_id):
            await self._events.interactions.meet(interaction)


def _shape(command: Any) -> Any:
    options = [{key: o.get(key) for key in ("name", "type", "description")} for o in command.get("options") or []]
    return command.get("name"), command.get("description"), options
