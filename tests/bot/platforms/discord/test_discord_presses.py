"""Buttons, forms and the command over the wire: stored before they are acknowledged, and always answered."""

from collections.abc import AsyncIterator
from statistics import median

import pytest

from bot.messages import Card
from bot.platforms.discord.notation import account_of
from tests.fakes.discord import FakeDiscord
from tests.fakes.discord.inbox import CARD, DECISION, Kept, listening, until
from tests.fakes.discord.interactions import DEFER_UPDATE, FORM, MESSAGE, UPDATE, Failed
from tests.fakes.discord.trouble import Kind


@pytest.fixture
async def fake() -> AsyncIterator[FakeDiscord]:
    async with FakeDiscord().running() as fake:
        yield fake


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
        assert reply.thread == said.thread


async def test_many_presses_at_once_are_all_acknowledged_in_time(fake: FakeDiscord) -> None:
    """P10: within a second. Discord gives up after three; one may be late where the machine is busy."""
    kept = Kept(slow=0.05)
    async with listening(fake, kept) as platform:
        fake.say(fake.world.user("ana"), fake.general, f"{fake.bot_mention} go")
        (said,) = await kept.said()
        message = fake.world.message(await platform.post(said.thread, "decision:1", CARD))
        presses = [fake.press(fake.world.user(f"p{n}"), message, "Approve plan") for n in range(60)]
        for press in presses:
            await press.answered()
        assert median(press.answered_after for press in presses) < 1.0
        assert len(await kept.pressed(60)) == 60


async def test_an_unknown_button_is_answered(fake: FakeDiscord) -> None:
    ana, kept = fake.world.user("ana"), Kept()
    async with listening(fake, kept) as platform:
        fake.say(ana, fake.general, f"{fake.bot_mention} go")
        (said,) = await kept.said()
        message = fake.world.message(await platform.post(said.thread, "decision:1", CARD))
        assert await fake.press_id(ana, message, "from another version").answered() == MESSAGE
        quick = fake.press(ana, message, "Request changes")
        assert await quick.answered() == FORM, "even if the store does not know of our own post yet"
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


async def test_the_command_opens_a_thread_of_its_own(fake: FakeDiscord) -> None:
    ana, kept = fake.world.user("ana"), Kept()
    async with listening(fake, kept) as platform:
        await until(lambda: fake.interactions.commands)
        used = fake.command(ana, fake.general, "overlord", words="add @everyone login")
        await used.answered(1.0)
        (said,) = await kept.said()
        assert (said.text, said.mentions_bot) == ("add @everyone login", True)
        await platform.post(said.thread, "status:T-1", Card(title="T-1"))
        await platform.mark_seen(said.thread, said.message)
        quote = fake.world.message(said.message)
        assert quote.reactions["👀"] == [fake.world.bot.id]
        assert not quote.pinged
        await until(lambda: used.original and used.original.content.startswith("Taken: "))

        inside = fake.command(ana, fake.world.channels[said.message], "overlord", words="status")
        await inside.answered(1.0)
        _, second = await kept.said(2)
        assert second.thread == said.thread


@pytest.mark.parametrize("words", ["help", "status", "what needs me"])
async def test_a_command_that_asks_how_things_stand_is_answered_to_the_asker_alone(
    fake: FakeDiscord, words: str
) -> None:
    ana, kept = fake.world.user("ana"), Kept()
    async with listening(fake, kept) as platform:
        await until(lambda: fake.interactions.commands)
        used = fake.command(ana, fake.general, "overlord", words=words)
        (said,) = await kept.said()
        assert (said.text, said.mentions_bot, said.direct) == (words, True, False)
        await platform.mark_seen(said.thread, said.message)
        await platform.whisper(said.thread, said.by, "whisper:1", Card(title="1 open task"))
        assert used.follow_ups[0].only_for == ana.id
        assert {m.only_for for m in fake.general.messages} == {ana.id} and not fake.world.direct(ana).messages


async def test_roles_that_carry_rights_are_read_at_the_press(fake: FakeDiscord) -> None:
    """Sent along by Discord in the server itself; asked for in a direct message; nobody, where it cannot be asked."""
    ana, bo, kept = fake.world.user("ana"), fake.world.user("bo"), Kept()
    role, other = fake.world.id(), fake.world.id()
    leads = f"discord-role:{fake.guild.id}:{role}"
    fake.guild.named |= {role: {ana.id}, other: {ana.id, bo.id}}
    async with listening(fake, kept, roles=frozenset({leads, f"discord-role:1:{role}"})) as platform:
        fake.say(ana, fake.general, f"{fake.bot_mention} go")
        (said,) = await kept.said()
        assert said.memberships == (leads,)
        message = fake.world.message(await platform.post(said.thread, "decision:1", CARD))
        for who in (ana, bo):
            assert await fake.press(who, message, "Approve plan").answered() == DEFER_UPDATE
        fake.guild.named[role] = {bo.id}
        for who in (ana, bo):
            assert await fake.press(who, message, "Approve plan").answered() == DEFER_UPDATE
        assert [pressed.memberships for pressed in await kept.pressed()] == [(leads,), (), (), (leads,)]
        fake.say(bo, fake.world.direct(bo), "status")
        assert (await kept.said(2))[1].memberships == (leads,)
        fake.trouble.plan(Kind.ERROR_BEFORE, "GET", "/members/", times=9)
        fake.say(bo, fake.world.direct(bo), "status")
        assert (await kept.said(3))[2].memberships == ()
