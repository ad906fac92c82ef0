"""Options of the Discord gateway, and what it asks of the database."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from agents.domain.ids import Thread
from agents.domain.text.redact import Redact, Redactor
from bot.platforms.provider import GatewayStore, Waits


@dataclass(frozen=True, slots=True, kw_only=True)
class DiscordOptions:
    token: str = field(repr=False)
    api_url: str
    gateway_url: str
    roles: frozenset[str] = frozenset()  # that carry rights: "discord-role:1:2"
    commands: Sequence[dict[str, Any]] = ()
    catch_up: timedelta = timedelta(days=1)
    redact: Redact = field(default_factory=Redactor)  # for what is repeated outside the outbox
    waits: Waits = field(default_factory=Waits)  # what Discord wants left alone for a while
    timeout: float = 10.0  # of one REST call; below the outbox's own
    beat: float = 5.0  # seconds between our own heartbeats, which come on top of Discord's
    silence: float = 12.0  # after so many seconds without an answer a socket counts as deaf


class DiscordStore(GatewayStore):
    async def requests(self) -> Sequence[Thread]:
        """Threads where a task is open: what they began with may have been edited meanwhile."""
        return await self._database.read(lambda tx: tx.threads.with_open_tasks(self._platform))
