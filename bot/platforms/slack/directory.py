"""People on Slack: names, teams and user groups, with a short cache where rights depend on them."""

import asyncio
import logging
import time
from dataclasses import dataclass

from slack_sdk.web.async_client import AsyncWebClient

from bot.messages import Later, Refused, Unsure
from bot.platforms.slack.payloads import Me, Members, UserAnswer
from bot.platforms.slack.web_client import translate_errors

log = logging.getLogger("overlord.slack")

KEPT = 3600.0
KEPT_UNKNOWN = 30.0
FRESH = 5.0  # seconds for which an answer counts as of this moment
PATIENCE, GROUPS_WITHIN = 1.0, 1.5  # seconds: Slack wants its answer within three


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


class UserGroups:
    """Members of the user groups that carry rights, of our own team only."""

    def __init__(self, client: AsyncWebClient, me: Me, groups: frozenset[str]) -> None:
        self._client = client
        self._groups = sorted(group for group in groups if group.split(":")[1] == me.team_id)
        self._known: dict[str, tuple[frozenset[str], float]] = {}

    async def of(self, user: str, *, now: bool = False) -> tuple[str, ...]:
        """The groups this user is in; a group that cannot be read has no members. `now`: do not use the cache."""
        if not self._groups:
            return ()
        members = await asyncio.gather(*(self._members(group, now) for group in self._groups))
        return tuple(group for group, inside in zip(self._groups, members, strict=True) if user in inside)

    async def _members(self, group: str, now: bool) -> frozenset[str]:
        known, until = self._known.get(group, (frozenset(), 0.0))
        fresh = time.monotonic() < until
        if fresh and not now:
            return known
        try:
            async with asyncio.timeout(GROUPS_WITHIN):
                known = await self._ask(group)
        except (Later, Unsure, Refused, TimeoutError) as problem:
            if fresh and isinstance(problem, Later):
                return known
            log.warning("a user group lets nobody in", extra={"group": group, "problem": str(problem)})
            known = frozenset()
        self._known[group] = (known, time.monotonic() + FRESH)
        return known

    async def _ask(self, group: str) -> frozenset[str]:
        with translate_errors():
            answer = await self._client.usergroups_users_list(usergroup=group.rpartition(":")[2])
            return frozenset(Members.model_validate(answer.data).users)
