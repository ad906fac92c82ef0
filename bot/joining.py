"""Connects the chat platforms that the settings ask for."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager

from bot.config.platforms import load, platforms
from bot.config.settings import Settings
from bot.intake.inbox import Inbox
from bot.messages import Platform
from bot.queries.query_api import QueryApi
from bot.queries.views import Pages
from bot.services import Services

Connect = Callable[[Settings, Services, Inbox, QueryApi], AbstractAsyncContextManager[Platform]]
Serve = Callable[[Settings, Services, QueryApi, Pages], AbstractAsyncContextManager[str]]


@asynccontextmanager
async def connect_all(
    settings: Settings, office: Services, inbox: Inbox, desk: QueryApi
) -> AsyncIterator[dict[str, Platform]]:
    """The platforms by name, listening for as long as the block runs. Libraries of the others are not loaded."""
    async with AsyncExitStack() as stack:
        joined: dict[str, Platform] = {}
        for spec in platforms():
            if settings.platforms[spec.name].joins:
                connect: Connect = load(spec.connect)
                joined[spec.name] = await stack.enter_async_context(connect(settings, office, inbox, desk))
        yield joined


def serve_own_pages(
    settings: Settings, office: Services, desk: QueryApi, pages: Pages
) -> AbstractAsyncContextManager[str]:
    """Serve them while the block runs; gives their address."""
    serve: Serve = load(platforms()[0].serve)
    return serve(settings, office, desk, pages)
