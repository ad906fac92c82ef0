"""Socket Mode. A socket from which nothing comes any more is replaced, even if it claims to be connected."""

import asyncio
import logging
import time
from collections.abc import Callable, Coroutine
from typing import Any

import aiohttp
from slack_bolt.adapter.socket_mode.aiohttp import AsyncSocketModeHandler
from slack_bolt.app.async_app import AsyncApp
from slack_sdk.errors import SlackApiError
from slack_sdk.socket_mode.async_client import AsyncBaseSocketModeClient
from slack_sdk.web.async_client import AsyncWebClient

from bot.messages import Later
from bot.platforms.slack.options import SlackOptions

log = logging.getLogger("overlord.slack")

CONNECT = 10.0  # seconds in which a new socket must have said hello
SLOWEST = 10.0  # seconds between two tries while Slack cannot be reached
CLOSING = 15.0

Connected = Callable[[], None]
Aside = Callable[[Coroutine[Any, Any, None]], None]


class SocketMode:
    def __init__(self, app: AsyncApp, client: AsyncWebClient, options: SlackOptions) -> None:
        self._app = app
        self._client = client
        self._options = options
        self.rebuilt = 0

    async def listen(self, connected: Connected, aside: Aside) -> None:
        """Never returns. Calls `connected` for each new socket; closes old ones in the background."""
        wait = 0.0
        while True:
            link = _Link(self._app, self._client, self._options)
            try:
                await link.connect()
                connected()
                wait = 0.0
                await link.until_silent()
                log.warning("a socket fell silent and is rebuilt", extra={"rebuilt": self.rebuilt})
            except (SlackApiError, aiohttp.ClientError, TimeoutError, OSError) as problem:
                log.warning("Slack gave no socket", extra={"problem": f"{type(problem).__name__}: {problem}"})
                wait = min(SLOWEST, max(self._options.ping / 5, wait * 2))
            except Later as later:
                wait = later.seconds
            except asyncio.CancelledError:
                await link.close(within=1.0)
                raise
            aside(link.close())
            self.rebuilt += 1
            await asyncio.sleep(wait)


class _Link:
    """One socket, from its hello until it falls silent."""

    def __init__(self, app: AsyncApp, client: AsyncWebClient, options: SlackOptions) -> None:
        self._options = options
        self._hello = asyncio.Event()
        handler = AsyncSocketModeHandler(
            app, options.app_token, web_client=client, ping_interval=options.ping, proxy=client.proxy
        )
        self._client = handler.client
        # the SDK would go on with a link that no longer works; rebuilding is ours alone
        self._client.auto_reconnect_enabled = self._client.default_auto_reconnect_enabled = False
        self._client.message_listeners.append(self._on_message)

    async def connect(self) -> None:
        async with asyncio.timeout(min(CONNECT, 4 * self._options.deaf_after)):
            await self._client.connect()  # type: ignore[no-untyped-call]
            await self._hello.wait()

    async def until_silent(self) -> None:
        began = time.time()
        while True:
            await asyncio.sleep(self._options.ping / 2)
            session = self._client.current_session
            last = max(began, self._client.last_ping_pong_time or 0.0)
            if session is None or session.closed or time.time() - last > self._options.deaf_after:
                return

    async def close(self, within: float = CLOSING) -> None:
        """A dead peer never answers the closing handshake, so this may take its time."""
        try:
            async with asyncio.timeout(within):
                await self._client.close()  # type: ignore[no-untyped-call]
        except (aiohttp.ClientError, TimeoutError, OSError):
            log.info("an old socket did not close in time")
        finally:
            await self._client.aiohttp_client_session.close()

    async def _on_message(self, client: AsyncBaseSocketModeClient, message: dict[str, Any], raw: str | None) -> None:
        if message.get("type") == "hello":
            self._hello.set()
