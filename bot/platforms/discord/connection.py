"""Connects Discord with the program: builds the options from the settings, and a GatewayStore over the database."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import datetime, timedelta

from agents.domain.ids import Thread
from bot.config.settings import Settings
from bot.delivery.waits import recall_waits
from bot.intake.inbox import Inbox
from bot.messages import Button, Platform, load_card
from bot.platforms.discord.gateway import open_gateway
from bot.platforms.discord.options import DiscordOptions, packaged_commands
from bot.platforms.discord.settings import DiscordSettings
from bot.queries.query_api import QueryApi
from bot.services import Services
from store.transaction import Transaction


@asynccontextmanager
async def connect(settings: Settings, office: Services, inbox: Inbox, desk: QueryApi) -> AsyncIterator[Platform]:
    discord = settings.section(DiscordSettings)
    options = DiscordOptions(
        token=discord.token.reveal() if discord.token else "",
        api_url=discord.api_url,
        gateway_url=discord.gateway_url,
        roles=settings.memberships("discord-role"),
        commands=packaged_commands(),
        catch_up=timedelta(seconds=settings.limits.catch_up),
        redact=office.redact,
        waits=await recall_waits("discord", office.database),
    )
    async with open_gateway(options, inbox.accept, DiscordGatewayStore(office)) as platform:
        yield platform


class DiscordGatewayStore:
    """Implements bot.platforms.discord.options.GatewayStore."""

    def __init__(self, office: Services) -> None:
        self._database = office.database

    async def button(self, thread: Thread, message: str, token: str) -> Button | None:
        return await self._database.read(lambda tx: _find_button(tx, thread, message, token))

    async def knows(self, thread: Thread) -> bool:
        return await self._database.read(lambda tx: tx.threads.find(thread) is not None)

    async def places(self, since: datetime) -> Sequence[Thread]:
        return await self._database.read(lambda tx: tx.threads.spoken_in("discord", since))

    async def requests(self) -> Sequence[Thread]:
        return await self._database.read(lambda tx: tx.threads.with_open_tasks("discord"))

    async def cursor(self) -> int:
        return await self._database.read(lambda tx: tx.log.read_up_to("discord messages"))

    async def save_cursor(self, message: int) -> None:
        await self._database.write(lambda tx: tx.log.mark_read("discord messages", message))


def _find_button(tx: Transaction, thread: Thread, message: str, token: str) -> Button | None:
    post = tx.posts.on_message(thread, message)
    if post is None:
        return None
    card = load_card(post.body)
    return next((b for b in (*card.buttons, *card.more) if b.choice.token == token), None)
