"""Connects Slack with the program: builds the options from the settings, and a GatewayStore over the database."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import datetime

from agents.domain.ids import Account, Thread
from bot.config.settings import Settings
from bot.delivery.waits import recall_waits
from bot.intake.inbox import Inbox
from bot.messages import Card, Platform
from bot.platforms.slack.gateway import open_gateway
from bot.platforms.slack.options import SlackOptions
from bot.platforms.slack.settings import SlackSettings
from bot.queries.query_api import QueryApi
from bot.queries.views import Portion
from bot.services import Services
from store.transaction import Transaction

HOME_SHOWS = 30  # cards of what needs somebody; Slack takes no more on a home


@asynccontextmanager
async def connect(settings: Settings, office: Services, inbox: Inbox, desk: QueryApi) -> AsyncIterator[Platform]:
    async def needs(account: Account) -> tuple[Sequence[Card], int]:
        oldest = await desk.needs(account, Portion(most=HOME_SHOWS))
        return [need.card for need in oldest], await desk.count_needs(account)

    slack, real = settings.section(SlackSettings), office.clock.real_seconds
    options = SlackOptions(
        bot_token=slack.bot_token.reveal() if slack.bot_token else "",
        app_token=slack.app_token.reveal() if slack.app_token else "",
        signing_secret=slack.signing_secret.reveal() if slack.signing_secret else "",
        api_url=slack.api_url,
        http_host=settings.http_host,
        http_port=settings.http_port,
        now=office.clock.now,
        limits=settings.limits,
        groups=settings.memberships("slack-group"),
        needs=needs,
        store=SlackGatewayStore(office),
        catch_up=settings.limits.catch_up,
        timeout=real(settings.limits.provider_timeout),
        posts_apart=real(1.0),
        redact=office.redact,
        waits=await recall_waits("slack", office.database),
    )
    async with open_gateway(options, inbox.accept) as platform:
        yield platform


class SlackGatewayStore:
    """Implements bot.platforms.slack.options.GatewayStore."""

    def __init__(self, office: Services) -> None:
        self._database = office.database

    async def is_ours(self, thread: Thread, message: str) -> bool:
        return await self._database.read(lambda tx: _is_ours(tx, thread, message))

    async def last_heard(self, since: datetime) -> Mapping[Thread, str]:
        return await self._database.read(lambda tx: _last_heard(tx, since))

    async def cursor(self) -> str:
        cursor = await self._database.read(lambda tx: tx.log.read_up_to("slack messages"))
        return f"{cursor / 1_000_000:.6f}" if cursor else ""

    async def save_cursor(self, ts: str) -> None:
        await self._database.write(lambda tx: tx.log.mark_read("slack messages", int(float(ts) * 1_000_000)))


def _is_ours(tx: Transaction, thread: Thread, message: str) -> bool:
    """Messages of Slack are numbered by time; one from before the bot was first spoken to there is not ours."""
    if tx.threads.find(thread) is None:
        return False
    first = tx.messages.first_of(thread)
    return first is None or message >= first


def _last_heard(tx: Transaction, since: datetime) -> dict[Thread, str]:
    threads = tx.threads.spoken_in("slack", since)
    return {thread: said for thread in threads if (said := tx.messages.last_said(thread))}
