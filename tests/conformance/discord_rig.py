"""Discord's rig: the real adapter speaks to a strict fake over the wire, and the fake says what people see."""

from contextlib import AsyncExitStack
from pathlib import Path

from agents.domain.ids import Account, Thread
from bot.platforms.discord.notation import CustomId, Place, account_of, user_of
from bot.platforms.discord.platform import DiscordPlatform
from bot.platforms.discord.rest import Rest
from tests.conformance.rig import Visible
from tests.fakes.discord import FakeDiscord
from tests.fakes.discord.people import Seen


class DiscordRig:
    """Implements tests.conformance.rig.Rig."""

    def __init__(self, fake: FakeDiscord, rest: Rest) -> None:
        self.fake = fake
        self.platform = DiscordPlatform(rest)
        self.ana = account_of(fake.world.user("ana").id)
        self.bo = account_of(fake.world.user("bo").id)

    async def thread(self) -> Thread:
        first = self.fake.say(self.fake.world.user("ana"), self.fake.general, "hello")
        return Place(guild=self.fake.guild.id, channel=self.fake.general.id, root=first.id).thread

    async def visible(self, thread: Thread, to: Account) -> list[Visible]:
        user = self.fake.world.users[user_of(to) or ""]
        inside = [visible(seen) for seen in self.fake.thread(Place.of(thread).root, user) if seen.by == "overlord"]
        direct = [self.fake.seen(message) for message in self.fake.world.direct(user).messages]
        return inside + [visible(seen, private=True) for seen in direct]

    async def noticed(self, thread: Thread) -> int:
        return len(self.fake.world.message(Place.of(thread).root).reactions.get("👀", []))

    async def pinged(self, thread: Thread) -> set[Account]:
        found = self.fake.world.channels[Place.of(thread).root].messages
        return {account_of(user) if user.isdecimal() else Account(user) for m in found for user in m.pinged}


def visible(seen: Seen, *, private: bool = False) -> Visible:
    read = (CustomId.of(id) for id in seen.ids)
    tokens = tuple(known.token if known else id for known, id in zip(read, seen.ids, strict=True))
    return Visible(id=seen.id, text=seen.text, tokens=tokens, private=private or seen.private)


async def open_rig(stack: AsyncExitStack, folder: Path) -> DiscordRig:
    fake = await stack.enter_async_context(FakeDiscord().running())
    rest = await stack.enter_async_context(Rest(fake.api_url, fake.token))
    return DiscordRig(fake, rest)
