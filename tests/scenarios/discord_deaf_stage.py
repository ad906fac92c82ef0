"""Discord without the message-content intent: what does not mention the bot arrives empty."""

from contextlib import AsyncExitStack

from tests.fakes.discord import FakeDiscord
from tests.scenarios.discord_stage import DiscordStage, open_on
from tests.scenarios.stage import Host, Setup


async def open_stage(stack: AsyncExitStack, setup: Setup) -> tuple[DiscordStage, Host]:
    fake = FakeDiscord()
    fake.gateway.privileged = False
    return await open_on(stack, setup, fake)
