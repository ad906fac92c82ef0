"""Slack's gateway: a middleware stores each event before Bolt acknowledges it; what goes out is a Platform."""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import aiohttp
from aiohttp import web
from slack_bolt.app.async_app import AsyncApp
from slack_bolt.authorization import AuthorizeResult
from slack_bolt.middleware.async_middleware import AsyncMiddleware
from slack_bolt.request.async_request import AsyncBoltRequest
from slack_bolt.response import BoltResponse
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from agents.domain.errors import SettingsProblem
from agents.domain.ids import Account
from bot.config.settings import Settings
from bot.intake.inbox import Inbox
from bot.messages import Card, Later, Platform, Refused, Unsure
from bot.platforms.provider import Accept, Waits
from bot.platforms.provider_setup import reveal
from bot.platforms.slack import SlackSettings
from bot.platforms.slack.catch_up import CatchUp, Checkpoint
from bot.platforms.slack.options import SlackOptions, SlackStore
from bot.platforms.slack.payloads import Me
from bot.platforms.slack.platform import SlackPlatform
from bot.platforms.slack.receiver import Receiver
from bot.platforms.slack.transports import listen_on_sockets, serve_http
from bot.platforms.slack.web_client import TOKENS, Directory, Pace, SlackClient, UserGroups, error_of, translate_errors
from bot.queries import Portion
from bot.queries.query_api import QueryApi
from bot.services import Services

log = logging.getLogger("overlord.slack")


HOME_SHOWS = 30  # cards of what needs somebody; Slack takes no more on a home
_SAFE = {"X-Content-Type-Options": "nosniff"}
_TEXT: dict[str, str | Sequence[str]] = {"content-type": "text/plain; charset=utf-8"}


@asynccontextmanager
async def connect(settings: Settings, services: Services, inbox: Inbox, queries: QueryApi) -> AsyncIterator[Platform]:
    async def needs(account: Account) -> tuple[Sequence[Card], int]:
        oldest = await queries.needs(account, Portion(most=HOME_SHOWS))
        return [need.card for need in oldest], await queries.count_needs(account)

    slack, real = settings.section(SlackSettings), services.clock.real_seconds
    options = SlackOptions(
        bot_token=reveal(slack.bot_token),
        app_token=reveal(slack.app_token),
        signing_secret=reveal(slack.signing_secret),
        api_url=slack.api_url,
        http_host=settings.http_host,
        http_port=settings.http_port,
        now=services.clock.now,
        limits=settings.limits,
        groups=settings.memberships("slack-group"),
        needs=needs,
        check=queries.check_form,
        timeout=real(settings.limits.provider_timeout),
        posts_apart=real(1.0),
        redact=services.redact,
        waits=await Waits.recall("slack", services.database),
    )
    async with open_gateway(options, inbox.accept, SlackStore("slack", services.database)) as platform:
        yield platform


@asynccontextmanager
async def open_gateway(options: SlackOptions, accept: Accept, store: SlackStore) -> AsyncIterator[SlackPlatform]:
    """Listens while the block runs. If Slack cannot be reached at first, it is retried in the background."""
    async with AsyncExitStack() as stack:
        limit = aiohttp.ClientTimeout(total=options.timeout)
        session = await stack.enter_async_context(aiohttp.ClientSession(timeout=limit))
        client = SlackClient(options, session)
        gateway = _Gateway(options, client, accept, store)
        stack.push_async_callback(gateway.stop)
        await gateway.start(stack)
        yield gateway.platform


class _Gateway:
    def __init__(self, options: SlackOptions, client: AsyncWebClient, accept: Accept, store: SlackStore) -> None:
        self.platform = SlackPlatform(client, Pace(options.posts_apart))
        self._options, self._client, self._accept, self._records = options, client, accept, store
        self._receiver: Receiver | None = None
        self._checkpoint = Checkpoint(store)
        self._tasks: set[asyncio.Task[None]] = set()
        self._app = self._bolt()

    async def start(self, stack: AsyncExitStack) -> None:
        me = await self._ask_who_we_are()
        if not self._options.app_token:
            address = await stack.enter_async_context(serve_http(self._options, self._by_http))
            log.info("listening for Slack", extra={"address": address})
        self.aside(self._run(me))

    async def stop(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def aside(self, work: Coroutine[Any, Any, None]) -> None:
        """Run it in the background; problems go to the log alone."""
        task = asyncio.create_task(self._log_errors(work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    @staticmethod
    async def _log_errors(work: Coroutine[Any, Any, None]) -> None:
        errand = getattr(work, "__qualname__", "")
        try:
            await work
        except (Refused, Later, Unsure) as problem:
            log.warning("Slack did not take an errand", extra={"problem": str(problem), "errand": errand})
        except Exception:
            log.exception("an errand failed", extra={"errand": errand})

    # ── coming up ───────────────────────────────────────────────────────────────────────────────────────────────

    async def _run(self, me: Me | None) -> None:
        while me is None:
            await asyncio.sleep(self._options.ping)
            me = await self._ask_who_we_are()
        self._receiver = self._receive_for(me)
        catch_up = CatchUp(self._client, self._receiver, self._options, self._checkpoint)
        if not self._options.app_token:
            await catch_up.run()
            return

        def connected_anew() -> None:
            self._checkpoint.whole = False  # until what was missed before is read
            self.aside(catch_up.run())

        await listen_on_sockets(self._app, self._client, self._options, connected_anew, self.aside)

    def _seen(self, ts: str) -> None:
        if self._checkpoint.is_due(ts):
            self.aside(self._checkpoint.save())

    async def _ask_who_we_are(self) -> Me | None:
        """None if Slack cannot be reached. Raises SettingsProblem if it refuses the token."""
        try:
            with translate_errors():
                return Me.model_validate((await self._client.auth_test()).data)
        except (Later, Unsure, Refused) as problem:
            error = error_of(problem.__cause__) if isinstance(problem.__cause__, SlackApiError) else ""
            if error in TOKENS:
                raise SettingsProblem(
                    f"Slack does not take SLACK_BOT_TOKEN ({error})",
                    next_step="Install the app again and copy its Bot User OAuth Token, which begins with xoxb-.",
                ) from problem
            log.warning("Slack cannot be asked who we are", extra={"problem": str(problem)})
            return None

    def _receive_for(self, me: Me) -> Receiver:
        return Receiver(
            me=me,
            client=self._client,
            options=self._options,
            accept=self._accept,
            store=self._records,
            directory=Directory(self._client),
            user_groups=UserGroups(self._client, me, self._options.groups),
            platform=self.platform,
            seen=self._seen,
            after=self.aside,
        )

    # ── taking in ───────────────────────────────────────────────────────────────────────────────────────────────

    def _bolt(self) -> AsyncApp:
        """Bolt parses and answers; its own handling of our own, unknown or unsigned requests is off."""

        async def authorize() -> AuthorizeResult:
            return AuthorizeResult(enterprise_id=None, team_id=None, bot_token=self._options.bot_token)

        return AsyncApp(
            client=AsyncWebClient(base_url=self._options.api_url, session=self._client.session, retry_handlers=[]),
            before_authorize=_StoreFirst(self._store),  # it answers for good, so that whatever would follow is not run
            authorize=authorize,
            request_verification_enabled=False,  # http_endpoint has done it, before anything was parsed
            ignoring_self_events_enabled=False,  # our own posts prove that they arrived
            ssl_check_enabled=False,
            url_verification_enabled=False,
            attaching_function_token_enabled=False,
        )

    async def _store(self, body: dict[str, Any]) -> BoltResponse:
        """Runs before any acknowledgement. If it raises, Bolt acknowledges nothing and Slack sends it again."""
        if body.get("type") == "url_verification":
            return BoltResponse(status=200, body=str(body.get("challenge", "")), headers=_TEXT)
        if self._receiver is None:
            return BoltResponse(status=503, body="not ready")
        return BoltResponse(status=200, body=await self._receiver.take(body))

    async def _by_http(self, body: str, headers: Mapping[str, str]) -> web.Response:
        try:
            request = AsyncBoltRequest(body=body, headers=dict(headers))
        except (AttributeError, TypeError) as odd:  # what Bolt makes of JSON that is no object
            raise ValueError("not an object") from odd
        answer = await self._app.async_dispatch(request)
        said = {name: str(values[0]) for name, values in answer.headers.items()}
        return web.Response(status=answer.status, text=answer.body, headers={**said, **_SAFE})


class _StoreFirst(AsyncMiddleware):
    """A class, since Bolt spends more time on preparing arguments for a function than the function takes."""

    def __init__(self, keep: Callable[[dict[str, Any]], Awaitable[BoltResponse]]) -> None:
        self._store = keep

    async def async_process(
        self, *, req: AsyncBoltRequest, resp: BoltResponse, next: Callable[[], Awaitable[BoltResponse]]
    ) -> BoltResponse:
        return await self._store(req.body)
