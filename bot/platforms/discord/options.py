"""Options of the Discord gateway, and what it asks of the store."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Protocol

from agents.catalog.yaml import read_yaml
from agents.domain.ids import Thread
from agents.domain.text.redact import Redact, Redactor
from bot.delivery.waits import Waits
from bot.messages import Button
from manifests import packaged


@dataclass(frozen=True, slots=True, kw_only=True)
class DiscordOptions:
    token: str = field(repr=False)
    api_url: str
    gateway_url: str
    guilds: frozenset[str] = frozenset()  # heard in these alone; empty: in all it is in
    roles: frozenset[str] = frozenset()  # that carry rights: "discord-role:1:2"
    commands: tuple[dict[str, Any], ...] = ()
    catch_up: timedelta = timedelta(days=1)
    redact: Redact = field(default_factory=Redactor)  # for what is repeated outside the outbox
    waits: Waits = field(default_factory=Waits)  # what Discord wants left alone for a while
    timeout: float = 10.0  # of one REST call; below the outbox's own
    beat: float = 5.0  # seconds between our own heartbeats, which come on top of Discord's
    silence: float = 12.0  # after so many seconds without an answer a socket counts as deaf


def packaged_commands() -> tuple[dict[str, Any], ...]:
    """The commands of manifests/discord/app.yaml."""
    commands: Any = read_yaml(packaged("discord", "app.yaml")).data["commands"]
    return tuple(commands)


class GatewayStore(Protocol):
    """What the gateway asks of the store, besides accepting deliveries."""

    async def button(self, thread: Thread, message: str, token: str) -> Button | None:
        """The button of this token on our message, as it was last meant to be shown."""
        ...

    async def knows(self, thread: Thread) -> bool:
        """Whether the bot was ever spoken to in this thread."""
        ...

    async def places(self, since: datetime) -> Sequence[Thread]:
        """Discord's threads and direct channels in which something was said since then, or where a task is open."""
        ...

    async def requests(self) -> Sequence[Thread]:
        """Discord's threads where a task is open: what they began with may have been edited meanwhile."""
        ...

    async def cursor(self) -> int:
        """The message id up to which everything was received; 0 before the first start ever."""
        ...

    async def save_cursor(self, message: int) -> None: ...
