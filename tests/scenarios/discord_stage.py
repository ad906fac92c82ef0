"""Discord as a stage: people write and press on a strict fake; discord.py and the whole program stand behind it."""

import json
from contextlib import AsyncExitStack

from agents.domain.ids import Account, Thread
from bot.platforms.discord.notation import Place, account_of
from tests.fakes import manners
from tests.fakes.discord import FakeDiscord
from tests.fakes.discord.interactions import FORM, MESSAGE, Interaction
from tests.fakes.discord.limits import inputs_of
from tests.fakes.discord.world import Channel, Message, User
from tests.scenarios.stage import Host, Setup, Shown, wait_for_button


def _values(opened: Interaction, words: str) -> list[str]:
    """Into the one field, or into each of several; those that nobody names stay as they are."""
    assert opened.form
    parts = list(inputs_of(opened.form["components"]))
    if len(parts) == 1:
        return [words]
    named = json.loads(words)
    return [named.get(part["custom_id"], part.get("value", "")) for part in parts]


class DiscordStage:
    """Implements tests.scenarios.stage.Stage. A thread is named as the program names it."""

    name = "discord"

    def __init__(self, fake: FakeDiscord) -> None:
        self.fake = fake

    @property
    def channel(self) -> str:
        return Place(guild=self.fake.guild.id, channel=self.fake.general.id, root="").channel_name

    def account(self, who: str) -> Account:
        return account_of(self._user(who).id)

    async def say(self, who: str, text: str, *, thread: str = "", mention: bool = False, direct: bool = False) -> str:
        await self.fake.gateway.listened()
        words = f"{self.fake.bot_mention} {text}" if mention else text
        user = self._user(who)
        if direct:
            channel = self.fake.world.direct(user)
            self.fake.say(user, channel, words)
            return Place.direct(int(channel.id)).thread
        if thread:
            self.fake.say(user, self._channel(thread), words)
            return thread
        first = self.fake.say(user, self.fake.general, words)
        return Place(guild=self.fake.guild.id, channel=self.fake.general.id, root=first.id).thread

    def name_in_text(self, who: str) -> str:
        return f"<@{self._user(who).id}>"

    def alone(self, who: str, thread: str) -> str:
        """Under a press it is shown there; after mere words it comes as a direct message."""
        return Place.direct(int(self.fake.world.direct(self._user(who)).id)).thread

    async def edit(self, who: str, thread: str, text: str) -> None:
        await self.fake.gateway.listened()
        first = self.fake.world.message(Place.of(Thread(thread)).root)
        assert first.author is self._user(who)
        before, _, _ = first.content.partition(">")
        self.fake.rewrite(first, f"{before}> {text}" if before.startswith("<@") else text)

    async def press(self, who: str, thread: str, label: str, words: str = "") -> None:
        await self.fake.gateway.listened()
        user = self._user(who)
        await wait_for_button(self, who, thread, label)
        on = next(m for m in reversed(self._messages(thread, user)) if label in self.fake.seen(m).buttons)
        pressed = self.fake.press(user, on, label)
        match await pressed.answered():
            case form if form == FORM:
                await self.fake.submit(pressed, *_values(pressed, words)).answered()
            case answer if answer == MESSAGE:
                await self._confirm(user, pressed)

    async def _confirm(self, user: User, pressed: Interaction) -> None:
        assert pressed.original
        (yes,) = self.fake.seen(pressed.original).buttons
        await self.fake.press(user, pressed.original, yes).answered()

    async def shown(self, who: str, thread: str) -> list[Shown]:
        return [
            Shown(text=seen.text, buttons=seen.buttons, by_bot=seen.by == "overlord", private=seen.private)
            for seen in map(self.fake.seen, self._messages(thread, self._user(who)))
        ]

    async def whispers(self, who: str, thread: str) -> list[Shown]:
        """Below a press, or as a direct message."""
        direct = self.fake.world.direct(self._user(who)).messages
        private = [shown for shown in await self.shown(who, thread) if shown.private]
        seen = (self.fake.seen(message) for message in direct if message.author.bot)
        return [*private, *(Shown(text=each.text, buttons=each.buttons, private=True) for each in seen)]

    async def is_seen(self, thread: str) -> bool:
        return "👀" in self.fake.world.message(Place.of(Thread(thread)).root).reactions

    async def complaints(self) -> list[str]:
        return manners.of_discord(self.fake.world.messages(), self.fake.world.bot.id)

    def _user(self, who: str) -> User:
        return self.fake.world.user(who)

    def _channel(self, thread: str) -> Channel:
        return self.fake.world.channels[Place.of(Thread(thread)).root]

    def _messages(self, thread: str, reader: User) -> list[Message]:
        """The message a thread began with, then what is in it; a direct channel has no such message."""
        place = Place.of(Thread(thread))
        first = [m for m in self.fake.general.messages if m.id == place.root]
        inside = self.fake.world.channels[place.root].messages if place.root in self.fake.world.channels else []
        return [m for m in (*first, *inside) if m.only_for in ("", reader.id)]


async def open_stage(stack: AsyncExitStack, setup: Setup) -> tuple[DiscordStage, Host]:
    return await open_on(stack, setup, FakeDiscord())


async def open_on(stack: AsyncExitStack, setup: Setup, world: FakeDiscord) -> tuple[DiscordStage, Host]:
    fake = await stack.enter_async_context(world.running())
    stage = DiscordStage(fake)
    environ = {
        "DISCORD_TOKEN": fake.token,
        "DISCORD_API_URL": fake.api_url,
        "DISCORD_GATEWAY_URL": fake.gateway_url,
    }
    host = Host(setup, stage, environ)
    stack.push_async_callback(host.stop)
    await host.start()
    return stage, host
