"""Who people are: names to show, teams, and whether they are people at all. Slack is asked once an hour."""

import asyncio
import time
from dataclasses import dataclass

from slack_sdk.web.async_client import AsyncWebClient

from bot.messages import Later, Refused, Unsure
from bot.platforms.slack.payloads import UserAnswer
from bot.platforms.slack.web_client import translate_errors

KEPT = 3600.0
KEPT_UNKNOWN = 30.0
FRESH = 5.0  # seconds for which an answer counts as of this moment
PATIENCE = 1.0  # seconds: Slack wants its answer within three


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    name: str = ""
    team: str = ""
    is_bot: bool = False
    gone: bool = False  # the account was deactivated


class Directory:
    def __init__(self, client: AsyncWebClient) -> None:
        self._client = client
        self._known: dict[str, tuple[Known, float]] = {}

    async def person(self, user: str, *, now: bool = False) -> Known:
        """`now`: as they are at this moment, for what rights hang on."""
        known, until = self._known.get(user, (Known(), 0.0))
        if time.monotonic() < (until - KEPT + FRESH if now else until):
            return known
        try:
            async with asyncio.timeout(PATIENCE):
                known, kept = await self._ask(user), KEPT
        except (Later, Unsure, Refused, TimeoutError):
            kept = KEPT_UNKNOWN
        self._known[user] = (known, time.monotonic() + kept)
        return known

    def name(self, user: str) -> str:
        """Without asking: their name, or their id."""
        known, _ = self._known.get(user, (Known(), 0.0))
        return known.name or user

    def team(self, user: str) -> str:
        """Without asking: the workspace they belong to, if we know it."""
        known, _ = self._known.get(user, (Known(), 0.0))
        return known.team

    async def _ask(self, user: str) -> Known:
        with translate_errors():
            answer = await self._client.users_info(user=user)
            info = UserAnswer.model_validate(answer.data).user
        return Known(name=info.display_name, team=info.team_id, is_bot=info.is_bot, gone=info.deleted)
