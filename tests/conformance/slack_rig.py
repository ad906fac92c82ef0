"""Slack's rig: the real client library against the strict fake, looked at as people see it."""

from contextlib import AsyncExitStack
from datetime import UTC, datetime
from pathlib import Path

import aiohttp

from agents.domain.ids import Account, Thread
from bot.platforms.slack.blocks import read_press
from bot.platforms.slack.options import SlackOptions
from bot.platforms.slack.platform import SlackPlatform
from bot.platforms.slack.web_client import Pace, SlackClient
from tests.conformance.rig import Visible
from tests.fakes.slack import FakeSlack, fake_slack
from tests.fakes.slack.fake import CHANNEL
from tests.fakes.slack.server import BOT_TOKEN
from tests.fakes.slack.shown import EVERYBODY, controls
from tests.fakes.slack.world import TEAM, Message

ANA, BO = "U0ANA", "U0BO"


class SlackRig:
    """Implements tests.conformance.rig.Rig."""

    ana = Account(f"slack:{TEAM}:{ANA}")
    bo = Account(f"slack:{TEAM}:{BO}")

    def __init__(self, fake: FakeSlack, platform: SlackPlatform) -> None:
        self.fake = fake
        self.platform = platform

    async def thread(self) -> Thread:
        return Thread(f"slack:{TEAM}:{CHANNEL}:{self.fake.say(ANA, CHANNEL, 'hello')}")

    async def visible(self, thread: Thread, to: Account) -> list[Visible]:
        """A file that holds the rest of a card belongs to that card."""
        messages = [m for m in self._in(thread) if m.bot_id and m.only_for in ("", to.rpartition(":")[2])]
        return [
            Visible(
                id=m.ts,
                text="\n".join((m.shown().words, m.shown().text)),
                tokens=tuple(p.token for c in controls(m.blocks) if (p := read_press(c.value))),
                private=bool(m.only_for),
            )
            for m in messages
            if not m.files
        ]

    async def noticed(self, thread: Thread) -> int:
        return len(self._in(thread)[0].reactions.get("eyes", ()))

    async def pinged(self, thread: Thread) -> set[Account]:
        who = {who for m in self._in(thread) if m.bot_id for who in m.shown().pings}
        return {Account(EVERYBODY if user == EVERYBODY else f"slack:{TEAM}:{user}") for user in who}

    def _in(self, thread: Thread) -> list[Message]:
        ts = thread.rpartition(":")[2]
        return [m for m in self.fake.world.messages if ts in (m.ts, m.parent)]


async def open_rig(stack: AsyncExitStack, folder: Path) -> SlackRig:
    fake = await stack.enter_async_context(fake_slack())
    for user in (ANA, BO):
        fake.world.add_user(user)
        fake.world.channels[CHANNEL].members.add(user)
    session = await stack.enter_async_context(aiohttp.ClientSession())
    options = SlackOptions(bot_token=BOT_TOKEN, api_url=fake.api_url, now=lambda: datetime.now(UTC))
    return SlackRig(fake, SlackPlatform(SlackClient(options, session), Pace(0.0)))
