"""Bare Bolt: an app that verifies, parses and acknowledges an event, and keeps nothing."""

import asyncio
from collections.abc import Mapping

from slack_bolt.app.async_app import AsyncApp
from slack_bolt.authorization import AuthorizeResult
from slack_bolt.request.async_request import AsyncBoltRequest
from slack_sdk.web.async_client import AsyncWebClient


class BareBolt:
    def __init__(self, secret: str, team: str, bot: str) -> None:
        async def authorize() -> AuthorizeResult:
            return AuthorizeResult(enterprise_id=None, team_id=team, bot_user_id=bot, bot_token="xoxb-none")

        self._left = 0
        self._done = asyncio.Event()
        self._app = AsyncApp(client=AsyncWebClient("xoxb-none"), signing_secret=secret, authorize=authorize)
        self._app.event("message")(self._hear)

    async def _hear(self, body: dict[str, object]) -> None:
        self._left -= 1
        if not self._left:
            self._done.set()

    async def idle(self) -> None:
        """Bolt acknowledges first; its listeners run afterwards."""
        await self._done.wait()

    async def take(self, body: bytes, headers: Mapping[str, str]) -> int:
        self._left += 1
        self._done.clear()
        answer = await self._app.async_dispatch(AsyncBoltRequest(body=body.decode(), headers=dict(headers)))
        return int(answer.status)
