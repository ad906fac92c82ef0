"""Discord's roles: which of those that carry rights somebody has at this moment."""

import asyncio
import logging

import discord

from bot.messages import Later, Refused, Unsure
from bot.platforms.discord.rest import Rest

log = logging.getLogger(__name__)

PATIENCE = 1.0  # seconds: Discord wants its answer within three
_UNKNOWN = (Later, Unsure, Refused, TimeoutError)


class Roles:
    """Only roles that are named in a group count: "discord-role:<server>:<role>"."""

    def __init__(self, rest: Rest, roles: frozenset[str]) -> None:
        self._rest = rest
        self._roles = [(name, *name.split(":")[1:]) for name in sorted(roles)]

    async def of(self, user: int, met: object = None) -> tuple[str, ...]:
        """The named roles of this user. `met`: as Discord showed them with what they did; a server that was not shown
        is asked, and one that cannot be asked lets nobody in.
        """
        servers = {server for _, server, _ in self._roles}
        held = {server: await self._held(server, user, met) for server in servers}
        return tuple(name for name, server, role in self._roles if role in held[server])

    async def _held(self, server: str, user: int, met: object) -> frozenset[str]:
        if isinstance(met, discord.Member) and str(met.guild.id) == server:
            return frozenset(str(role.id) for role in met.roles)
        try:
            async with asyncio.timeout(PATIENCE):
                member = await self._rest.call("GET", f"/guilds/{server}/members/{user}")
        except _UNKNOWN as problem:
            log.info("roles could not be asked for", extra={"server": server, "problem": str(problem)})
            return frozenset()
        roles = member.get("roles") if isinstance(member, dict) else None
        return frozenset(map(str, roles)) if isinstance(roles, list) else frozenset()
