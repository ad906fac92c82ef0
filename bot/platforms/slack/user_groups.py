"""Slack's user groups, asked for who is in them at the moment somebody presses."""

import asyncio
import logging
import time

from slack_sdk.web.async_client import AsyncWebClient

from bot.messages import Later, Refused, Unsure
from bot.platforms.slack.payloads import Me, Members
from bot.platforms.slack.web_client import translate_errors

log = logging.getLogger("overlord.slack")

PATIENCE = 1.5  # seconds: Slack wants its answer within three
FRESH = 5.0  # seconds for which a list does for words, and for a press where Slack wants to be left alone


class UserGroups:
    """Only the groups that carry rights are asked for, and only those of our own team."""

    def __init__(self, client: AsyncWebClient, me: Me, groups: frozenset[str]) -> None:
        self._client = client
        self._groups = sorted(group for group in groups if group.split(":")[1] == me.team_id)
        self._known: dict[str, tuple[frozenset[str], float]] = {}

    async def of(self, user: str, *, now: bool = False) -> tuple[str, ...]:
        """The groups this user is in. One that cannot be asked for lets nobody in. `now`: asked for anew."""
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
            async with asyncio.timeout(PATIENCE):
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
