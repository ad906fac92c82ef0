"""The gateway over the wire: what people say on Discord arrives as deliveries, once, in order, from people only."""

from collections.abc import AsyncIterator

import pytest

from bot.messages import Card, Edited
from bot.platforms.discord.notation import Place, account_of
from tests.fakes.discord import FakeDiscord
from tests.fakes.discord.inbox import CARD, Kept, listening, until
from tests.fakes.discord.interactions import DEFER_UPDATE, Failed


@pytest.fixture
async def fake() -> AsyncIterator[FakeDiscord]:
    async with FakeDiscord().running() as fake:
        yield fake


async def test_a_mention_starts_a_thread_and_a_reply_stays_in_it(fake: FakeDiscord) -> None:
    ana, kept = fake.world.user("ana"), Kept()
    async with listening(fake, kept) as platform:
        first = fake.say(ana, fake.general, f"{fake.bot_mention} add login")
        (said,) = await kept.said()
        assert (said.text, said.mentions_bot) == ("add login", True)
        assert said.by == account_of(ana.id)
        assert said.thread == f"discord:{fake.guild.id}:{fake.general.id}:{first.id}"
        assert said.channel == f"discord:{fake.guild.id}:{fake.general.id}"

        await platform.post(said.thread, "status:T-1", Card(title="T-1 · add login"))
        reply = fake.say(ana, fake.world.channels[first.id], "use tokens")
        _, second = await kept.said(2)
        assert (second.thread, second.message) == (said.thread, reply.id)
        assert not second.mentions_bot


async def test_every_way_of_speaking_to_the_bot_is_heard(fake: FakeDiscord) -> None:
    ana, bo, kept = fake.world.user("ana"), fake.world.user("bo"), Kept()
    async with listening(fake, kept) as platform:
        fake.say(ana, fake.general, f"<@&{fake.guild.bot_role}> by role")
        (by_role,) = await kept.said()
        assert (by_role.text, by_role.mentions_bot) == ("by role", True)

        await platform.post(by_role.thread, "reply:1", Card(title="hello"))
        thread = fake.world.channels[Place.of(by_role.thread).root]
        for ping in (True, False):
            fake.say(bo, thread, "a reply to the bot", reply_to=thread.messages[-1 if ping else 0], ping=ping)
        heard = await kept.said(3)
        assert heard[1].mentions_bot
        assert heard[2].mentions_bot

        fake.say(ana, fake.world.direct(ana), "in private")
        *_, direct = await kept.said(4)
        assert direct.direct
        assert direct.thread == f"discord:@me:{fake.world.direct(ana).id}:{fake.world.direct(ana).id}"

        fake.say(ana, thread, f"<@{bo.id}> what do you think?")
        *_, other = await kept.said(5)
        assert other.addresses_other
        assert other.text == "@Bo what do you think?"


async def test_a_guest_of_one_channel_is_an_outsider(fake: FakeDiscord) -> None:
    gil, ana, kept = fake.world.user("gil"), fake.world.user("ana"), Kept()
    gil.guest = True
    async with listening(fake, kept):
        fake.say(ana, fake.general, f"{fake.bot_mention} add login")
        (
            said,
        ) = await kept.said()  # so all that is read from histories, which do not say who is a guest, has been read
        fake.say(gil, fake.general, f"{fake.bot_mention} add login")
        *_, last = await kept.said(2)
        assert (said.outsider, last.by, last.outsider) == (False, account_of(gil.id), True)


async def test_what_people_say_to_each_other_is_not_stored(fake: FakeDiscord) -> None:
    ana, bo, kept = fake.world.user("ana"), fake.world.user("bo"), Kept()
    async with listening(fake, kept) as platform:
        lunch = fake.say(ana, fake.general, "lunch?")
        theirs = fake.world.open_thread(fake.general, lunch.id, "lunch")
        fake.gateway.tell("THREAD_CREATE", theirs.json, theirs)
        fake.say(bo, theirs, "yes, stop")
        fake.react(bo, lunch, "🛑")
        fake.rewrite(lunch, "dinner?")
        fake.say(bo, theirs, f"{fake.bot_mention} where?")
        fake.say(ana, theirs, "now we are heard")
        heard = await kept.said(2)
        assert kept.texts == ["where?", "now we are heard"]
        assert heard[0].thread == f"discord:{fake.guild.id}:{fake.general.id}:{lunch.id}"
        await platform.post(heard[0].thread, "reply:1", Card(title="In the thread that was there"))
        assert len(theirs.messages) == 4


async def test_nobody_but_people_is_heard(fake: FakeDiscord) -> None:
    """Attack 7: other bots, our own messages, webhooks that wear the bot's name."""
    robot, ana, kept = fake.world.user("robot", bot=True), fake.world.user("ana"), Kept()
    async with listening(fake, kept) as platform:
        fake.say(robot, fake.general, f"{fake.bot_mention} approve")
        fake.say(fake.world.bot, fake.general, f"{fake.bot_mention} approve")
        fake.say(ana, fake.general, f"{fake.bot_mention} approve", webhook="77")
        fake.react(robot, fake.general.messages[0], "🛑")
        real = fake.say(ana, fake.general, f"{fake.bot_mention} hello")
        (said,) = await kept.said()
        assert said.message == real.id
        await platform.post(said.thread, "reply:1", Card(title="hi"))
        assert kept.texts == ["hello"]


async def test_names_and_typed_mentions_carry_no_identity(fake: FakeDiscord) -> None:
    """Attack 15: only the account's id says who it is."""
    fake.world.user("lead")
    kept, mallory = Kept(), fake.world.user("mallory")
    async with listening(fake, kept):
        mallory.name = "lead"
        fake.say(mallory, fake.general, f"{fake.bot_mention} @lead approve")
        (said,) = await kept.said()
        assert said.by == account_of(mallory.id)


async def test_presses_for_other_applications_are_ignored(fake: FakeDiscord) -> None:
    """Attack 8."""
    ana, kept = fake.world.user("ana"), Kept()
    async with listening(fake, kept) as platform:
        first = fake.say(ana, fake.general, f"{fake.bot_mention} from here")
        (said,) = await kept.said()
        kept.cards[await platform.post(said.thread, "decision:1", CARD)] = CARD
        message = fake.world.channels[first.id].messages[-1]
        fake.interactions.application = "99"
        with pytest.raises(Failed):
            await fake.press(ana, message, "Approve plan").answered(0.5)
        fake.interactions.application = fake.world.bot.id
        assert await fake.press(ana, message, "Approve plan").answered() == DEFER_UPDATE
        assert len(await kept.pressed()) == 1


async def test_an_edit_and_a_stop_sign_are_heard(fake: FakeDiscord) -> None:
    ana, kept = fake.world.user("ana"), Kept()
    async with listening(fake, kept) as platform:
        first = fake.say(ana, fake.general, f"{fake.bot_mention} go")
        (said,) = await kept.said()
        fake.rewrite(first, f"{fake.bot_mention} go faster")
        await until(lambda: any(isinstance(d, Edited) for d in kept.heard))
        edited = kept.heard[-1]
        assert isinstance(edited, Edited)
        assert (edited.text, edited.thread, edited.message) == ("go faster", said.thread, first.id)

        status = fake.world.message(await platform.post(said.thread, "status:T-1", CARD))
        fake.react(ana, status, "👍")
        fake.react(ana, status, "🛑")
        _, stop = await kept.said(2)
        assert (stop.text, stop.mentions_bot, stop.thread) == ("🛑", True, said.thread)
