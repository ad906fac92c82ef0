"""Joins the chat platforms that have tokens, and gives each what it asks of the store."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import datetime, timedelta

from agents.domain.decisions.authority import Group
from agents.domain.ids import Account, Thread
from bot.config.settings import Settings
from bot.delivery.waits import Waits
from bot.intake.inbox import Inbox
from bot.messages import Button, Card, Platform
from bot.query_api import Desk, Portion
from bot.services import Office
from store.books import Books

# The libraries of a platform are imported only where it is joined: they are slow to load.

HOME_SHOWS = 30  # cards of what needs somebody; Slack takes no more on a home


@asynccontextmanager
async def joined(settings: Settings, office: Office, inbox: Inbox, desk: Desk) -> AsyncIterator[dict[str, Platform]]:
    """The platforms by name, with somebody listening on each for as long as the block runs."""
    async with AsyncExitStack() as stack:
        platforms: dict[str, Platform] = {}
        if settings.slack.joins:
            platforms["slack"] = await stack.enter_async_context(_slack(settings, office, inbox, desk))
        if settings.discord.joins:
            platforms["discord"] = await stack.enter_async_context(_discord(settings, office, inbox))
        yield platforms


@asynccontextmanager
async def _slack(settings: Settings, office: Office, inbox: Inbox, desk: Desk) -> AsyncIterator[Platform]:
    from bot.platforms.slack.gateway import connected
    from bot.platforms.slack.options import SlackOptions

    async def needs(account: Account) -> tuple[Sequence[Card], int]:
        oldest = await desk.needs(account, Portion(most=HOME_SHOWS))
        return [need.card for need in oldest], await desk.count_needs(account)

    slack, real = settings.slack, office.clock.real_seconds
    options = SlackOptions(
        bot_token=slack.bot_token.reveal() if slack.bot_token else "",
        app_token=slack.app_token.reveal() if slack.app_token else "",
        signing_secret=slack.signing_secret.reveal() if slack.signing_secret else "",
        api_url=slack.api_url,
        http_host=settings.http_host,
        http_port=settings.http_port,
        now=office.clock.now,
        limits=settings.limits,
        groups=_groups(settings.groups, "slack-group:"),
        needs=needs,
        memory=SlackMemory(office),
        catch_up=settings.limits.catch_up,
        timeout=real(settings.limits.provider_timeout),
        posts_apart=real(1.0),
        redact=office.redact,
        waits=await _recalled("slack", office),
    )
    async with connected(options, inbox.accept) as platform:
        yield platform


class SlackMemory:
    """Implements bot.platforms.slack.memory.Memory."""

    def __init__(self, office: Office) -> None:
        self._database = office.database

    async def is_ours(self, thread: Thread, message: str) -> bool:
        return await self._database.read(lambda books: _is_ours(books, thread, message))

    async def last_heard(self, since: datetime) -> Mapping[Thread, str]:
        return await self._database.read(lambda books: _last_heard(books, since))

    async def mark(self) -> str:
        mark = await self._database.read(lambda books: books.log.read_up_to("slack messages"))
        return f"{mark / 1_000_000:.6f}" if mark else ""

    async def set_mark(self, ts: str) -> None:
        await self._database.write(lambda books: books.log.mark_read("slack messages", int(float(ts) * 1_000_000)))


def _is_ours(books: Books, thread: Thread, message: str) -> bool:
    """Messages of Slack are numbered by time; one from before the bot was first spoken to there is not ours."""
    if books.threads.find(thread) is None:
        return False
    first = books.messages.first_of(thread)
    return first is None or message >= first


def _last_heard(books: Books, since: datetime) -> dict[Thread, str]:
    threads = books.threads.spoken_in("slack", since)
    return {thread: said for thread in threads if (said := books.messages.last_said(thread))}


@asynccontextmanager
async def _discord(settings: Settings, office: Office, inbox: Inbox) -> AsyncIterator[Platform]:
    from bot.platforms.discord.gateway import connected
    from bot.platforms.discord.options import DiscordOptions, packaged_commands

    token = settings.discord.token
    options = DiscordOptions(
        token=token.reveal() if token else "",
        api_url=settings.discord.api_url,
        gateway_url=settings.discord.gateway_url,
        roles=_groups(settings.groups, "discord-role:"),
        commands=packaged_commands(),
        catch_up=timedelta(seconds=settings.limits.catch_up),
        redact=office.redact,
        waits=await _recalled("discord", office),
    )
    async with connected(options, inbox.accept, DiscordMemory(office)) as platform:
        yield platform


async def _recalled(platform: str, office: Office) -> Waits:
    waits = Waits(platform, office.database)
    await waits.recall()
    return waits


class DiscordMemory:
    """Implements bot.platforms.discord.memory.Memory."""

    def __init__(self, office: Office) -> None:
        self._database = office.database

    async def button(self, thread: Thread, message: str, token: str) -> Button | None:
        from bot.platforms.discord.memory import find_button

        return await self._database.read(lambda books: find_button(books, thread, message, token))

    async def knows(self, thread: Thread) -> bool:
        return await self._database.read(lambda books: books.threads.find(thread) is not None)

    async def places(self, since: datetime) -> Sequence[Thread]:
        return await self._database.read(lambda books: books.threads.spoken_in("discord", since))

    async def requests(self) -> Sequence[Thread]:
        return await self._database.read(lambda books: books.threads.with_open_tasks("discord"))

    async def mark(self) -> int:
        return await self._database.read(lambda books: books.log.read_up_to("discord messages"))

    async def set_mark(self, message: int) -> None:
        await self._database.write(lambda books: books.log.mark_read("discord messages", message))


def _groups(groups: Mapping[Group, frozenset[str]], prefix: str) -> frozenset[str]:
    """User groups and roles that carry rights; the platform says who is in them."""
    return frozenset(member for members in groups.values() for member in members if member.startswith(prefix))
