"""Options of the gateway: where Discord is, who we are there, and time-outs."""

from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from agents.catalog.yaml import read_yaml
from agents.domain.text.redact import Redact, Redactor
from bot.delivery.waits import Waits
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
