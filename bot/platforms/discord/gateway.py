"""Runs a Discord client, and replaces it when it fails or stops receiving."""

import asyncio
import logging
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from enum import StrEnum

import discord
import yarl

from bot.platforms.discord.incoming.event_queue import EventQueue
from bot.platforms.discord.incoming.interactions import Accept, Interactions
from bot.platforms.discord.incoming.listener import Listener
from bot.platforms.discord.options import DiscordOptions, GatewayStore
from bot.platforms.discord.outgoing.platform import DiscordPlatform
from bot.platforms.discord.rest import Rest
from bot.platforms.discord.roles import Roles

log = logging.getLogger(__name__)

LONGEST_PAUSE = 10.0  # seconds between two tries to connect
GOODBYE = 3.0  # how long closing a socket may take
NO_CONTENT = (
    "Discord does not let me read messages that do not mention me: the message-content intent is off. "
    "Mention me in replies, or use the Answer… button; to fix it, open the Developer Portal, Bot, "
    "Privileged Gateway Intents, switch on Message Content and start me again."
)
BAD_TOKEN = "Discord refuses the token: set DISCORD_TOKEN to the one from Developer Portal, Bot, Reset Token."


class End(StrEnum):
    """How a client ended."""

    DIED = "died"
    NO_CONTENT = "the message-content intent is off"
    REFUSED = "the token is refused"


@asynccontextmanager
async def open_gateway(options: DiscordOptions, accept: Accept, store: GatewayStore) -> AsyncIterator[DiscordPlatform]:
    """Listens while the block runs; yields the platform. Does not wait for Discord."""
    discord.http.Route.BASE = options.api_url.rstrip("/")
    discord.gateway.DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL(options.gateway_url)
    async with Rest(options.api_url, options.token, options.timeout, options.waits) as rest:
        platform = DiscordPlatform(rest)
        platform.redact = options.redact
        interactions = Interactions(platform, rest, accept, store)
        events, interactions.roles = EventQueue(options, accept, store, interactions), Roles(rest, options.roles)
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
        heard = await events.next()
        try:
            await heard()
        except Exception:
            log.exception("something heard on discord could not be taken in")


async def _supervise(options: DiscordOptions, events: EventQueue, platform: DiscordPlatform) -> None:
    pause = 0.5
    while True:
        born = time.monotonic()
        end = await _run_client(Listener(options, events, content=platform.reads_replies))
        if end is End.REFUSED:
            platform.problem = BAD_TOKEN
            log.error("discord stopped", extra={"problem": BAD_TOKEN})
            return
        if end is End.NO_CONTENT:
            platform.reads_replies, platform.problem = False, NO_CONTENT
            log.warning("discord is half deaf", extra={"problem": NO_CONTENT})
            continue
        pause = 0.5 if time.monotonic() - born > 60 else min(pause * 2, LONGEST_PAUSE)
        await asyncio.sleep(pause)


async def _run_client(client: Listener) -> End:
    """Runs one client until it ends."""
    start = asyncio.create_task(client.start(client.options.token))
    watch = asyncio.create_task(client.watch())
    try:
        await asyncio.wait((start, watch), return_when=asyncio.FIRST_COMPLETED)
        if start.done():
            start.result()
    except discord.LoginFailure:
        return End.REFUSED
    except discord.PrivilegedIntentsRequired:
        return End.NO_CONTENT
    except discord.ConnectionClosed as closed:
        if closed.code == 4004:
            return End.REFUSED
        log.warning("discord closed the connection", extra={"code": closed.code})
    except Exception as problem:
        log.warning("the discord client died", extra={"problem": f"{type(problem).__name__}: {problem}"})
    finally:
        await _close(client, start, watch)
    return End.DIED


async def _close(client: Listener, *tasks: asyncio.Task[None]) -> None:
    """Closes the client within a few seconds, since a dead socket never answers."""
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    for goodbye in (client.leave, client.close):
        with suppress(TimeoutError, discord.DiscordException, OSError):
            async with asyncio.timeout(GOODBYE):
                await goodbye()
        client.hang_up()
