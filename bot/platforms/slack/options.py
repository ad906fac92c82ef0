"""Options of the Slack gateway, and what it asks of the store."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from agents.domain.ids import Account, Thread
from agents.domain.limits import Limits
from agents.domain.text.redact import Redact, Redactor
from bot.delivery.waits import Waits
from bot.messages import Card, Delivery


class GatewayStore(Protocol):
    """What the gateway asks of the store, besides accepting deliveries."""

    async def is_ours(self, thread: Thread, message: str) -> bool:
        """Whether the bot had been spoken to in this thread when this message of it was written."""
        ...

    async def last_heard(self, since: datetime) -> Mapping[Thread, str]:
        """Our threads in which somebody spoke since then or a task is open, with the last message of a person in each.

        Whatever its age, the thread that was spoken in last is among them.
        """
        ...

    async def cursor(self) -> str:
        """The message up to which everything was received, for us or not; empty before the first."""
        ...

    async def save_cursor(self, ts: str) -> None: ...


Accept = Callable[[Delivery], Awaitable[bool]]  # stores a delivery; once it returns, Slack may be told
# What has waited longest for this person, as cards with buttons, and how much waits in all.
Needs = Callable[[Account], Awaitable[tuple[Sequence[Card], int]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class SlackOptions:
    bot_token: str = field(repr=False)
    app_token: str = field(default="", repr=False)  # Socket Mode, if there is one
    signing_secret: str = field(default="", repr=False)  # else signed HTTP
    api_url: str = "https://slack.com/api/"
    http_host: str = "127.0.0.1"
    http_port: int = 8766
    now: Callable[[], datetime]
    limits: Limits = field(default_factory=Limits)
    groups: frozenset[str] = frozenset()  # user groups that carry rights: "slack-group:T1:S2"
    needs: Needs | None = None
    store: GatewayStore | None = None  # without one, only what is said to the bot itself is heard
    catch_up: float = 86_400  # seconds: what was said longer ago is not picked up
    timeout: float = 15  # seconds for one call
    redact: Redact = field(default_factory=Redactor)  # for what is repeated outside the outbox
    posts_apart: float = 1.0  # seconds between two messages in one channel
    ping: float = 5.0  # seconds between two looks at whether a socket lives
    waits: Waits = field(default_factory=Waits)  # what Slack wants left alone for a while
    deaf_after: float = 15.0  # seconds of silence after which a socket is rebuilt
