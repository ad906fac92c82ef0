"""The gateway over the wire: what people do on Discord arrives as deliveries, once, in order, from people only."""

from collections.abc import AsyncIterator

import pytest

from agents.domain.ids import DecisionId
from bot.messages import Button, Card, Choice, Edited, Style
from bot.platforms.discord.address import Place, account_of
from tests.fakes.discord import FakeDiscord
from tests.fakes.discord.inbox import Kept, listening, until
from tests.fakes.discord.interactions import DEFER_UPDATE, FORM, MESSAGE, UPDATE, Failed
from tests.fakes.discord.trouble import Kind

DECISION = DecisionId("d" * 22)


def choice(letter: str) -> Choice:
    return Choice(decision=DECISION, letter=letter)


CARD = Card(
    title="T-1: please decide the plan",
    text="Two subtasks.",
    buttons=(
        Button(label="Approve plan", choice=choice("a"), style=Style.PRIMARY),
        Button(label="Request changes", choice=choice("b"), asks="What should change?"),
    ),
    more=(Button(label="Cancel task", choice=choice("c"), style=Style.DANGER, confirm="This cannot be undone."),),
    decision=DECISION,
)


@pytest.fixture
async def fake() -> AsyncIterator[FakeDiscord]:
    async with FakeDiscord().running() as fake:
        yield fake


async def test_a_mention_starts_a_thread_and_a_reply_stays_in_it(fake: FakeDiscord) -> None:
    ana, kept = fake.world.user("ana"), Kept()
    async with listening(fake, kept) as platform:
        first = fake.say(ana, fake.general, f"{fake.bot_mention} add login")
        (said,) = await kept.said()
        assert (said.text, said.mentions_bot, said.starts_thread) == ("add login", True, True)
        assert said.by == account_of(ana.id)
        assert said.thread == f"discord:{fake.guild.id}:{fake.general.id}:{first.id}"
        assert said.channel == f"discord:{fake.guild.id}:{fake.general.id}"

        await platform.post(said.thread, "status:T-1", Card(title="T-1 · add login"))
        reply = fake.say(ana, fake.world.channels[first.id], "use tokens")
        _, second = await kept.said(2)
        assert (second.thread, second.message, second.starts_thread) == (said.thread, reply.id, False)
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


async def test_other_applications_and_guilds_are_ignored(fake: FakeDiscord) -> None:
    """Attack 8."""
    ana, kept = fake.world.user("ana"), Kept()
    other = fake.world.guild("elsewhere")
    there = fake.world.text_channel(other, "general")
    async with listening(fake, kept, guilds=frozenset({fake.guild.id})) as platform:
        fake.say(ana, there, f"{fake.bot_mention} from elsewhere")
        first = fake.say(ana, fake.general, f"{fake.bot_mention} from here")
        (said,) = await kept.said()
        assert said.text == "from here"

        kept.cards[await platform.post(said.thread, "decision:1", CARD)] = CARD
        message = fake.world.channels[first.id].messages[-1]
        fake.interactions.application = "99"
        with pytest.raises(Failed):
            await fake.press(ana, message, "Approve plan").answered(0.5)
        fake.interactions.application = fake.world.bot.id
        assert await fake.press(ana, message, "Approve plan").answered() == DEFER_UPDATE
        assert len(await kept.pressed()) == 1


async def test_a_press_is_stored_before_it_is_acknowledged(fake: FakeDiscord) -> None:
    ana, kept = fake.world.user("ana"), Kept()
    async with listening(fake, kept) as platform:
        first = fake.say(ana, fake.general, f"{fake.bot_mention} go")
        (said,) = await kept.said()
        id = await platform.post(said.thread, "decision:1", CARD)
        kept.cards[id] = CARD
        message = fake.world.message(id)
        kept.down = True
        with pytest.raises(Failed):
            await fake.press(ana, message, "Approve plan").answered(1.0)
        kept.down = False
        press = fake.press(ana, message, "Approve plan")
        assert await press.answered() == DEFER_UPDATE
        assert press.answered_after < 1.0
        (pressed,) = await kept.pressed()
        assert (pressed.token, pressed.message, pressed.thread) == (f"{DECISION}.a", id, said.thread)
        assert pressed.key == f"discord:{press.id}"
        assert first.id in said.thread


@pytest.mark.parametrize("kind", [Kind.RESET_BEFORE, Kind.RESET_AFTER, Kind.ERROR_AFTER])
async def test_an_acknowledgement_that_was_lost_is_sent_once_more(fake: FakeDiscord, kind: Kind) -> None:
    ana, kept = fake.world.user("ana"), Kept()
    async with listening(fake, kept) as platform:
        fake.say(ana, fake.general, f"{fake.bot_mention} go")
        (said,) = await kept.said()
        message = fake.world.message(await platform.post(said.thread, "decision:1", CARD))
        fake.trouble.plan(kind, path="/callback")
        assert await fake.press(ana, message, "Approve plan").answered(1.0) == DEFER_UPDATE
        await until(lambda: fake.http.count("POST", "/callback") == 2)
        assert len(await kept.pressed()) == 1


async def test_a_form_and_a_confirmation_come_before_the_press_counts(fake: FakeDiscord) -> None:
    ana, kept = fake.world.user("ana"), Kept()
    async with listening(fake, kept) as platform:
        fake.say(ana, fake.general, f"{fake.bot_mention} go")
        (said,) = await kept.said()
        id = await platform.post(said.thread, "decision:1", CARD)
        kept.cards[id] = CARD
        message = fake.world.message(id)

        opened = fake.press(ana, message, "Request changes")
        assert await opened.answered() == FORM
        assert await fake.submit(opened, "smaller steps").answered() == DEFER_UPDATE
        (pressed,) = await kept.pressed()
        assert (pressed.token, pressed.words, pressed.message) == (f"{DECISION}.b", "smaller steps", id)

        asked = fake.press(ana, message, "Cancel task")
        assert await asked.answered() == MESSAGE
        assert asked.original
        assert asked.original.only_for == ana.id
        sure = fake.press(ana, asked.original, "Yes: Cancel task")
        assert await sure.answered() == UPDATE
        _, cancelled = await kept.pressed(2)
        assert (cancelled.token, cancelled.message) == (f"{DECISION}.c", id)


async def test_where_no_thread_can_be_opened_presses_and_replies_still_find_their_task(fake: FakeDiscord) -> None:
    ana, kept = fake.world.user("ana"), Kept()
    fake.messages.no_threads.add(fake.general.id)
    async with listening(fake, kept) as platform:
        fake.say(ana, fake.general, f"{fake.bot_mention} go")
        (said,) = await kept.said()
        answer = fake.world.message(await platform.post(said.thread, "decision:1", CARD))
        await fake.press(ana, answer, "Approve plan").answered()
        (pressed,) = await kept.pressed()
        assert (pressed.thread, pressed.message) == (said.thread, answer.id)
        fake.say(ana, fake.general, "use tokens", reply_to=answer)
        _, reply = await kept.said(2)
        assert (reply.thread, reply.starts_thread) == (said.thread, False)


async def test_many_presses_at_once_are_all_acknowledged_in_time(fake: FakeDiscord) -> None:
    """P10: within a second."""
    kept = Kept(slow=0.05)
    async with listening(fake, kept) as platform:
        fake.say(fake.world.user("ana"), fake.general, f"{fake.bot_mention} go")
        (said,) = await kept.said()
        message = fake.world.message(await platform.post(said.thread, "decision:1", CARD))
        presses = [fake.press(fake.world.user(f"p{n}"), message, "Approve plan") for n in range(60)]
        for press in presses:
            await press.answered()
        assert max(press.answered_after for press in presses) < 1.0
        assert len(await kept.pressed(60)) == 60


async def test_an_unknown_button_is_answered(fake: FakeDiscord) -> None:
    ana, kept = fake.world.user("ana"), Kept()
    async with listening(fake, kept) as platform:
        fake.say(ana, fake.general, f"{fake.bot_mention} go")
        (said,) = await kept.said()
        message = fake.world.message(await platform.post(said.thread, "decision:1", CARD))
        assert await fake.press_id(ana, message, "from another version").answered() == MESSAGE
        forged = fake.press_id(ana, message, "ov:press::" + "x" * 22 + ".z")
        assert await forged.answered() == DEFER_UPDATE, "the ledger, not the gateway, knows what counts"


async def test_a_refusal_is_whispered_where_it_was_pressed_or_in_private(fake: FakeDiscord) -> None:
    mallory, kept = fake.world.user("mallory"), Kept()
    async with listening(fake, kept) as platform:
        fake.say(fake.world.user("ana"), fake.general, f"{fake.bot_mention} go")
        (said,) = await kept.said()
        message = fake.world.message(await platform.post(said.thread, "decision:1", CARD))
        press = fake.press(mallory, message, "Approve plan")
        await press.answered()
        told = Card(title="This is not yours to decide")
        await platform.whisper(said.thread, account_of(mallory.id), "whisper:1", told)
        assert press.follow_ups[0].only_for == mallory.id

        fake.world.shift = 16 * 60
        await platform.whisper(said.thread, account_of(mallory.id), "whisper:2", told)
        await platform.whisper(said.thread, account_of(mallory.id), "whisper:2", told)
        assert len(fake.world.direct(mallory).messages) == 1

        fake.messages.closed_dms.add(mallory.id)
        await platform.whisper(said.thread, account_of(mallory.id), "whisper:3", told)
        last = fake.world.channels[message.channel].messages[-1]
        assert last.pinged == {mallory.id}


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


async def test_the_command_opens_a_thread_of_its_own(fake: FakeDiscord) -> None:
    ana, kept = fake.world.user("ana"), Kept()
    async with listening(fake, kept) as platform:
        await until(lambda: fake.interactions.commands)
        used = fake.command(ana, fake.general, "overlord", words="add @everyone login")
        await used.answered(1.0)
        (said,) = await kept.said()
        assert (said.text, said.mentions_bot, said.starts_thread) == ("add @everyone login", True, True)
        await platform.post(said.thread, "status:T-1", Card(title="T-1"))
        await platform.seen(said.thread, said.message)
        quote = fake.world.message(said.message)
        assert quote.reactions["👀"] == [fake.world.bot.id]
        assert not quote.pinged
        await until(lambda: used.original and used.original.content.startswith("Taken: "))

        inside = fake.command(ana, fake.world.channels[said.message], "overlord", words="status")
        await inside.answered(1.0)
        _, second = await kept.said(2)
        assert second.thread == said.thread
