"""Options of the Slack gateway, and what it asks of the database."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from agents.domain.ids import Account, Thread
from agents.domain.limits import Limits
from agents.domain.planning.plan_faults import Fault
from agents.domain.text.redact import Redact, Redactor
from bot.messages import Card
from bot.platforms.provider import GatewayStore, Waits
from store.transaction import Transaction

# What has waited longest for this person, as cards with buttons, and how much waits in all.
Needs = Callable[[Account], Awaitable[tuple[Sequence[Card], int]]]

# What is wrong with the form behind a button, by the button's token and what was written.
CheckForm = Callable[[str, str], Awaitable[Sequence[Fault]]]


class SlackStore(GatewayStore):
    async def is_ours(self, thread: Thread, message: str) -> bool:
        """Whether the bot had been spoken to in this thread when this message of it was written: ids are times."""

        def had_been(tx: Transaction) -> bool:
            first = tx.messages.first_of(thread)
            return tx.threads.find(thread) is not None and (first is None or message >= first)

        return await self._database.read(had_been)

    async def last_heard(self, since: datetime) -> Mapping[Thread, str]:
        """The threads of `places` with the last message of a person in each."""
        threads = await self.places(since)
        said = await self._database.read(lambda tx: [tx.messages.last_said(thread) for thread in threads])
        return {thread: last for thread, last in zip(threads, said, strict=True) if last}


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
    check: CheckForm | None = None
    timeout: float = 15  # seconds for one call
    redact: Redact = field(default_factory=Redactor)  # for what is repeated outside the outbox
    posts_apart: float = 1.0  # seconds between two messages in one channel
    ping: float = 5.0  # seconds between two looks at whether a socket lives
    waits: Waits = field(default_factory=Waits)  # what Slack wants left alone for a while
    deaf_after: float = 15.0  # seconds of silence after which a socket is rebuilt
