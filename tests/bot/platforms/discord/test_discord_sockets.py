"""Sockets die in many ways; each time the bot hears again soon, and hears nothing twice."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable

import discord
import pytest

from agents.domain.ids import DecisionId
from bot.messages import Button, Card, Choice
from bot.platforms.discord import gateway
from bot.platforms.discord.notation import Place
from bot.platforms.provider import Waits
from tests.fakes.discord import FakeDiscord
from tests.fakes.discord.inbox import Kept, listening, options, until
from tests.fakes.discord.interactions import DEFER_UPDATE
from tests.fakes.discord.trouble import Kind

CARD = Card(
    title="Decide",
    buttons=(Button(label="Approve", choice=Choice(decision=DecisionId("d" * 22), letter="a")),),
    decision=DecisionId("d" * 22),
    takes_words=True,
)


@pytest.fixture
async def fake() -> AsyncIterator[FakeDiscord]:
    async with FakeDiscord().running() as fake:
        yield fake


async def dropped(fake: FakeDiscord) -> None:
    fake.gateway.drop()


async def closed(fake: FakeDiscord) -> None:
    await fake.gateway.close(4000)


async def half_open(fake: FakeDiscord) -> None:
    fake.gateway.half_open()


async def no_acks(fake: FakeDiscord) -> None:
    """Heartbeats are no longer answered: the connection is given up before anything is lost on it."""
    resumed = fake.gateway.resumes
    fake.gateway.stop_acks()
    await until(lambda: fake.gateway.resumes > resumed)


async def asked_to_reconnect(fake: FakeDiscord) -> None:
    await fake.gateway.ask_to_reconnect()


async def session_invalid(fake: FakeDiscord) -> None:
    await fake.gateway.invalidate()


async def no_resume(fake: FakeDiscord) -> None:
    """The socket drops and the session is forgotten: what was said meanwhile is only in the history."""
    fake.gateway.forgets = True
    fake.gateway.drop()
    await asyncio.sleep(0.1)


async def away(fake: FakeDiscord) -> None:
    """Discord turns everybody away for a while."""
    fake.gateway.refusing = True
    fake.gateway.drop()
    await asyncio.sleep(1.0)
    fake.gateway.refusing = False


Die = Callable[[FakeDiscord], Awaitable[None]]
# How often each is tried; tests/faults/test_sockets.py draws twenty by chance. The library waits five seconds before it
# begins a session anew.
KINDS: dict[Die, int] = {
    dropped: 2,
    closed: 2,
    half_open: 2,
    no_acks: 1,
    asked_to_reconnect: 2,
    session_invalid: 1,
    no_resume: 1,
    away: 1,
}


@pytest.mark.parametrize("die", KINDS, ids=lambda die: die.__name__)
async def test_after_a_socket_died_everything_is_heard_once(fake: FakeDiscord, die: Die) -> None:
    ana, kept = fake.world.user("ana"), Kept()
    async with listening(fake, kept):
        fake.say(ana, fake.general, f"{fake.bot_mention} 0")
        await kept.said()
        for number in range(1, KINDS[die] + 1):
            await die(fake)
            fake.say(ana, fake.general, f"{fake.bot_mention} {number}")
            await kept.said(number + 1)
        assert kept.texts == [str(number) for number in range(KINDS[die] + 1)]


async def test_the_pulse_that_discord_asks_for_is_kept(fake: FakeDiscord) -> None:
    ana, kept = fake.world.user("ana"), Kept()
    fake.gateway.heartbeat = 1.0
    async with listening(fake, kept, beat=60.0, silence=60.0):
        await asyncio.sleep(3.5)
        assert (fake.gateway.identifies, fake.gateway.resumes) == (1, 0)
        fake.say(ana, fake.general, f"{fake.bot_mention} still here")
        await kept.said()


async def test_a_first_connect_that_fails_is_tried_again(fake: FakeDiscord) -> None:
    kept = Kept()
    fake.gateway.refusing = True
    async with gateway.open_gateway(options(fake), kept.accept, kept):
        await asyncio.sleep(0.7)
        fake.gateway.refusing = False
        await fake.gateway.listened()
        fake.say(fake.world.user("ana"), fake.general, f"{fake.bot_mention} hello")
        await kept.said()


async def test_events_that_come_again_count_once(fake: FakeDiscord) -> None:
    """Attack 5: the same message and the same press, byte for byte."""
    ana, kept = fake.world.user("ana"), Kept()
    async with listening(fake, kept) as platform:
        fake.say(ana, fake.general, f"{fake.bot_mention} go")
        (said,) = await kept.said()
        message = fake.world.message(await platform.post(said.thread, "decision:1", CARD))
        assert await fake.press(ana, message, "Approve").answered() == DEFER_UPDATE
        await fake.gateway.repeat(last=4)
        await until(lambda: kept.doubled >= 2)
        assert len(kept.heard) == 2


async def test_a_press_works_after_the_client_was_rebuilt_and_after_a_restart(fake: FakeDiscord) -> None:
    ana, kept = fake.world.user("ana"), Kept()
    async with listening(fake, kept) as platform:
        fake.say(ana, fake.general, f"{fake.bot_mention} go")
        (said,) = await kept.said()
        message = fake.world.message(await platform.post(said.thread, "decision:1", CARD))
        identified = fake.gateway.identifies
        await session_invalid(fake)
        await until(lambda: fake.gateway.identifies > identified)
        await fake.gateway.listened()
        assert await fake.press(ana, message, "Approve").answered() == DEFER_UPDATE
    async with listening(fake, kept):
        assert await fake.press(ana, message, "Approve").answered() == DEFER_UPDATE
        assert len(await kept.pressed(2)) == 2


async def test_what_was_said_while_down_is_picked_up_once(fake: FakeDiscord) -> None:
    ana, kept = fake.world.user("ana"), Kept()
    async with listening(fake, kept) as platform:
        fake.say(ana, fake.general, f"{fake.bot_mention} first")
        (said,) = await kept.said()
        await platform.post(said.thread, "status:T-1", Card(title="T-1"))
        fake.say(ana, fake.world.direct(ana), "private")
        await kept.said(2)
    thread, archived = fake.world.channels[Place.of(said.thread).root], fake.world.text_channel(fake.guild, "other")
    kept.known = [Place.direct(int(fake.world.direct(ana).id)).thread, said.thread]
    for number in range(20):
        fake.say(ana, archived, f"{fake.bot_mention} channel {number}")
        fake.say(ana, thread, f"thread {number}")
    for number in range(10):
        fake.say(ana, fake.world.direct(ana), f"direct {number}")
    fake.say(fake.world.user("robot", bot=True), archived, f"{fake.bot_mention} a bot")
    thread.archived = True  # nobody tells a newcomer of it
    for _ in range(2):
        async with listening(fake, kept):
            await kept.said(52)
            await asyncio.sleep(0.3)
    assert len(kept.texts) == 52
    assert len(set(kept.texts)) == 52
    ids = [int(d.message) for d in kept.heard[2:]]
    assert ids == sorted(ids), "in the order in which it was said"


async def test_a_bot_that_dies_before_it_ever_listened_has_missed_nothing(fake: FakeDiscord) -> None:
    kept = Kept()
    fake.gateway.refusing = True
    async with gateway.open_gateway(options(fake), kept.accept, kept):
        fake.say(fake.world.user("ana"), fake.general, f"{fake.bot_mention} is anybody there?")
    fake.gateway.refusing = False
    async with listening(fake, kept):
        await kept.said()
        assert kept.texts == ["is anybody there?"]


async def test_what_the_store_could_not_take_is_kept_until_it_can(fake: FakeDiscord) -> None:
    ana, kept = fake.world.user("ana"), Kept()
    async with listening(fake, kept):
        kept.down = True
        for number in range(5):
            fake.say(ana, fake.general, f"{fake.bot_mention} {number}")
        await asyncio.sleep(0.3)
        kept.down = False
        await kept.said(5)
        assert kept.texts == ["0", "1", "2", "3", "4"]


def told_operator(caplog: pytest.LogCaptureFixture) -> str:
    return "".join(getattr(record, "problem", "") for record in caplog.records)


async def test_without_the_content_intent_it_says_so_and_offers_a_form(
    fake: FakeDiscord, caplog: pytest.LogCaptureFixture
) -> None:
    ana, kept = fake.world.user("ana"), Kept()
    fake.gateway.privileged = False
    async with gateway.open_gateway(options(fake), kept.accept, kept) as platform:
        await until(lambda: fake.gateway.identifies == 2)
        await fake.gateway.listened()
        assert "Message Content" in told_operator(caplog)
        fake.say(ana, fake.general, f"{fake.bot_mention} go")
        (said,) = await kept.said()
        assert said.text == "go"
        message = fake.world.message(await platform.post(said.thread, "decision:1", CARD))
        fake.say(ana, fake.world.channels[message.channel], "a reply that arrives empty")
        opened = fake.press(ana, message, "Answer…")
        await opened.answered()
        await fake.submit(opened, "take the second").answered()
        _, answer = await kept.said(2)
        assert (answer.text, answer.thread, answer.mentions_bot) == ("take the second", said.thread, True)
        assert answer.on == message.id, "it answers the card that the button is on"
        assert kept.texts == ["go", "take the second"]


async def test_a_refused_token_stops_with_a_word_for_the_operator(
    fake: FakeDiscord, caplog: pytest.LogCaptureFixture
) -> None:
    kept = Kept()
    async with gateway.open_gateway(options(fake, token="wrong"), kept.accept, kept):
        await until(lambda: "DISCORD_TOKEN" in told_operator(caplog))
        tries = len(fake.http.seen)
        await asyncio.sleep(1.0)
        assert len(fake.http.seen) == tries


async def test_what_the_library_was_told_to_leave_alone_is_left_alone_by_the_next_client_too(fake: FakeDiscord) -> None:
    kept, waits = Kept(marked=discord.utils.time_snowflake(discord.utils.utcnow())), Waits()
    fake.say(fake.world.user("ana"), fake.general, f"{fake.bot_mention} is anybody there?")
    fake.trouble.retry_after = 1.5
    fake.trouble.plan(Kind.LIMITED, "GET", "/messages")

    def reads() -> list[float]:
        asked = zip(fake.http.seen, fake.http.seen_at, strict=True)
        return [at for (method, path), at in asked if method == "GET" and path.endswith("/messages")]

    async with listening(fake, kept, waits=waits):
        await until(lambda: waits.seconds_left(f"GET /channels/{fake.general.id}/messages"))
    async with listening(fake, kept, waits=waits):
        await kept.said()
    assert len(reads()) == 2
    assert reads()[1] - reads()[0] >= 1.5
