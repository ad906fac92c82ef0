"""Connects the console with the program as a chat platform. Serves its pages."""

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager

from bot.config.settings import Settings
from bot.config.state_folder import keep_secret
from bot.intake.inbox import Inbox
from bot.messages import Platform
from bot.platforms.console.hosting import running
from bot.platforms.console.options import ConsoleOptions, needs_login
from bot.platforms.console.platform import ConsolePlatform
from bot.platforms.console.settings import ConsoleSettings
from bot.query_api import Desk, Pages
from bot.services import Office


@asynccontextmanager
async def connect(settings: Settings, office: Office, inbox: Inbox, desk: Desk) -> AsyncIterator[Platform]:
    yield ConsolePlatform(office.database, office.clock)


def serve(settings: Settings, office: Office, desk: Desk, pages: Pages) -> AbstractAsyncContextManager[str]:
    console = settings.section(ConsoleSettings)
    known = not needs_login(console.host, console.proxies, pages.look_up)
    options = ConsoleOptions(
        host=console.host,
        port=console.port,
        names=console.names,
        proxies=console.proxies,
        limits=settings.limits,
        look_up=pages.look_up,
        channels=settings.channels_on("console"),
        login=settings.own_login,
        secret=keep_secret(settings.home / "console.secret"),
        sessions=None if known else pages.sessions,
        suggestions=pages.suggestions,
        now=office.clock.now,
        extra=pages.health,
    )
    return running(desk, options)
