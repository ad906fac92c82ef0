"""The platform over the wire, when things go wrong: each failure has its class, and nothing is posted twice."""

import asyncio
import time
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from agents.domain.ids import DecisionId, Thread
from bot.messages import Button, Card, Choice, Deleted, Gone, Later, Refused, Row, Shut, Unsure
from bot.platforms.discord.notation import Place, account_of
from bot.platforms.discord.platform import DiscordPlatform
from bot.platforms.discord.rest import Rest
from tests.fakes.discord import FakeDiscord
from tests.fakes.discord.trouble import Kind
from tests.fakes.discord.world import Channel

CARD = Card(
    title="T-1 · add login",
    rows=(Row(label="State", value="Waiting"),),
    buttons=(Button(label="Stop", choice=Choice(decision=DecisionId("d" * 22), letter="a")),),
)
MESSAGES = "/channels/{channel_id}/messages"


class World:
    """A fake, and the platform on it."""

    def __init__(self, fake: FakeDiscord, rest: Rest) -> None:
        self.fake, self.rest, self.platform = fake, rest, DiscordPlatform(rest)

    def thread(self) -> Thread:
        first = self.fake.say(self.fake.world.user("ana"), self.fake.general, "hello")
        return Place(guild=self.fake.guild.id, channel=self.fake.general.id, root=first.id).thread

    def inside(self, thread: Thread) -> Channel:
        return self.fake.world.channels[Place.of(thread).root]


@pytest.fixture
async def world() -> AsyncIterator[World]:
    async with FakeDiscord().running() as fake, Rest(fake.api_url, fake.token, timeout=0.5) as rest:
        yield World(fake, rest)


@pytest.mark.parametrize("kind", [Kind.RESET_AFTER, Kind.ERROR_AFTER, Kind.NOT_JSON, Kind.SILENT_AFTER])
async def test_a_lost_answer_is_unsure_and_the_post_is_found(world: World, kind: Kind) -> None:
    thread = world.thread()
    await world.platform.post(thread, "status:T-1", CARD)
    for number, card in enumerate((CARD, Card(title="without buttons"))):
        world.fake.trouble.plan(kind, path=f"/channels/{world.inside(thread).id}/messages")
        with pytest.raises(Unsure):
            await world.platform.post(thread, f"reply:{number}", card)
        assert await world.platform.find(thread, f"reply:{number}") == world.inside(thread).messages[-1].id
        again = await world.platform.post(thread, f"reply:{number}", card)
        assert again == world.inside(thread).messages[-1].id, "the nonce names the same post"
    assert len(world.inside(thread).messages) == 3


@pytest.mark.parametrize("kind", [Kind.RESET_BEFORE, Kind.ERROR_BEFORE])
async def test_what_did_not_arrive_is_unsure_too_and_is_not_found(world: World, kind: Kind) -> None:
    thread = world.thread()
    await world.platform.post(thread, "status:T-1", CARD)
    world.fake.trouble.plan(kind)
    with pytest.raises(Unsure):
        await world.platform.post(thread, "reply:1", CARD)
    assert await world.platform.find(thread, "reply:1") is None


async def test_a_limit_says_when_and_is_not_run_into_twice(world: World) -> None:
    thread = world.thread()
    world.fake.buckets.limits["POST", MESSAGES] = (3, 0.6)
    for number in range(3 - 1):  # the try that found no thread counted too
        await world.platform.post(thread, f"reply:{number}", CARD)
    asked = len(world.fake.http.seen)
    with pytest.raises(Later) as later:
        await world.platform.post(thread, "reply:9", CARD)
    assert 0 < later.value.seconds <= 0.6
    assert len(world.fake.http.seen) == asked, "what was known to be refused was not asked"
    await world.platform.post(world.thread(), "reply:9", CARD)
    await asyncio.sleep(later.value.seconds)
    await world.platform.post(thread, "reply:9", CARD)
    assert world.fake.buckets.hits == 0


async def test_a_429_is_later_by_what_discord_says(world: World) -> None:
    thread = world.thread()
    world.fake.trouble.retry_after = 7.5
    world.fake.trouble.plan(Kind.LIMITED)
    with pytest.raises(Later) as later:
        await world.platform.post(thread, "reply:1", CARD)
    assert later.value.seconds == 7.5
    asked = len(world.fake.http.seen)
    with pytest.raises(Later):
        await world.platform.post(thread, "reply:2", CARD)
    assert len(world.fake.http.seen) == asked, "nobody asks again before its time"


async def test_a_server_that_is_not_there_did_not_take_it(world: World) -> None:
    async with Rest("http://127.0.0.1:9/api/v10", "t") as rest:
        with pytest.raises(Later):
            await DiscordPlatform(rest).post(world.thread(), "reply:1", CARD)


async def test_a_refused_token_is_tried_again_later(world: World) -> None:
    async with Rest(world.fake.api_url, "wrong") as rest:
        with pytest.raises(Later):
            await DiscordPlatform(rest).post(world.thread(), "reply:1", CARD)


async def test_one_thread_is_opened_however_many_try(world: World) -> None:
    thread = world.thread()
    world.fake.trouble.plan(Kind.RESET_AFTER, path="/threads")
    with pytest.raises(Unsure):
        await world.platform.post(thread, "status:T-1", CARD)
    await world.platform.post(thread, "status:T-1", CARD)
    other = DiscordPlatform(world.rest)
    third = world.thread()
    await asyncio.gather(world.platform.post(third, "a", CARD), other.post(third, "b", CARD))
    assert len(world.inside(third).messages) == 2
    assert world.inside(thread).name == "T-1 · add login"


async def test_a_sleeping_thread_is_woken_and_a_locked_one_refuses(world: World) -> None:
    thread = world.thread()
    id = await world.platform.post(thread, "status:T-1", CARD)
    world.inside(thread).archived = True
    await world.platform.edit(thread, id, replace(CARD, text="awake"))
    world.inside(thread).archived = True
    await world.platform.post(thread, "reply:1", CARD)
    world.inside(thread).archived = world.inside(thread).locked = True
    with pytest.raises(Refused):
        await world.platform.post(thread, "reply:2", CARD)


async def test_a_deleted_beginning_is_gone(world: World) -> None:
    thread = world.thread()
    world.fake.general.messages.clear()
    with pytest.raises(Gone):
        await world.platform.post(thread, "status:T-1", CARD)
    with pytest.raises(Gone):
        await world.platform.mark_seen(thread, Place.of(thread).root)


async def test_a_channel_that_vanished_may_come_back_and_nothing_is_posted_elsewhere(world: World) -> None:
    thread, other = world.thread(), world.thread()
    id = await world.platform.post(other, "status:T-2", CARD)
    for place in (world.fake.general.id, Place.of(other).root):
        del world.fake.world.channels[place]
    for where in (thread, other):
        with pytest.raises(Shut):
            await world.platform.post(where, "status:T-1", CARD)
    with pytest.raises(Gone) as gone:
        await world.platform.edit(other, id, CARD)
    assert not isinstance(gone.value, Deleted), "the message was not deleted by itself"


async def test_a_direct_channel_that_vanished_is_gone(world: World) -> None:
    channel = world.fake.world.direct(world.fake.world.user("ana"))
    thread = Place.direct(int(channel.id)).thread
    id = await world.platform.post(thread, "status:T-1", CARD)
    del world.fake.world.channels[channel.id]
    world.fake.http.seen.clear()
    for vain in (world.platform.post(thread, "reply:1", CARD), world.platform.edit(thread, id, CARD)):
        with pytest.raises(Gone):
            await vain
    assert await world.platform.find(thread, "reply:1") is None
    places = [path for _, path in world.fake.http.seen if "/channels/" in path]
    assert len(places) == 3, "there is no other place to try"


async def test_a_message_that_was_deleted_by_itself_is_told_from_a_vanished_place(world: World) -> None:
    thread = world.thread()
    id = await world.platform.post(thread, "status:T-1", CARD)
    world.inside(thread).messages.clear()
    asked = len(world.fake.http.seen)
    with pytest.raises(Deleted):
        await world.platform.edit(thread, id, CARD)
    assert len(world.fake.http.seen) == asked + 1, "it is not looked for outside its thread"


async def test_where_embeds_are_forbidden_the_words_still_arrive(world: World) -> None:
    thread = world.thread()
    world.fake.messages.no_embeds.add(Place.of(thread).root)
    id = await world.platform.post(thread, "status:T-1", CARD)
    assert "State: Waiting" in world.fake.seen(world.fake.world.message(id)).text
    await world.platform.edit(thread, id, replace(CARD, text="edited"))
    assert "edited" in world.fake.seen(world.fake.world.message(id)).text
    assert await world.platform.find(thread, "status:T-1") == id


async def test_where_no_thread_can_be_opened_the_answer_stands_beside_the_question(world: World) -> None:
    thread = world.thread()
    world.fake.messages.no_threads.add(world.fake.general.id)
    id = await world.platform.post(thread, "status:T-1", CARD)
    answer = world.fake.general.messages[-1]
    assert (answer.id, answer.reply_to) == (id, world.fake.world.message(Place.of(thread).root))
    await DiscordPlatform(world.rest).edit(thread, id, Card(title="Done"))
    assert await world.platform.find(thread, "status:T-1") == id


async def test_an_edit_after_a_restart_keeps_the_post_findable(world: World) -> None:
    thread = world.thread()
    id = await world.platform.post(thread, "status:T-1", CARD)
    newborn = DiscordPlatform(world.rest)
    await newborn.edit(thread, id, Card(title="Done"))
    assert await newborn.find(thread, "status:T-1") == id


async def test_a_direct_channel_is_one_thread(world: World) -> None:
    ana = world.fake.world.user("ana")
    channel = world.fake.world.direct(ana)
    thread = Place.direct(int(channel.id)).thread
    said = world.fake.say(ana, channel, "hello")
    await world.platform.mark_seen(thread, said.id)
    id = await world.platform.post(thread, "status:T-1", replace(CARD, notify=(account_of(ana.id),)))
    assert channel.messages[-1].id == id
    assert said.reactions["👀"]


async def test_with_faults_on_every_tenth_call_all_is_posted_once_and_in_order(world: World) -> None:
    """As the outbox does it: unsure is looked for, later is waited for."""
    world.fake.trouble.chances = {Kind.RESET_AFTER: 0.1, Kind.ERROR_AFTER: 0.05, Kind.LIMITED: 0.1}
    world.fake.trouble.retry_after = 0.02

    async def talk(thread: Thread) -> None:
        for number in range(25):
            await deliver(world.platform, thread, f"reply:{number}", Card(title=f"number {number}"))

    threads = [world.thread() for _ in range(12)]
    await asyncio.gather(*(talk(thread) for thread in threads))
    for thread in threads:
        shown = [world.fake.seen(message).text.split("\n")[0] for message in world.inside(thread).messages]
        assert shown == [f"number {number}" for number in range(25)]
    assert sum(world.fake.trouble.made.values()) > 50


async def deliver(platform: DiscordPlatform, thread: Thread, key: str, card: Card) -> None:
    unsure, until = False, time.monotonic() + 60
    while time.monotonic() < until:
        try:
            if unsure and await platform.find(thread, key):
                return
            await platform.post(thread, key, card)
            return
        except Unsure:
            unsure = True
        except Later as later:
            await asyncio.sleep(later.seconds)
    raise AssertionError(f"{key} was never taken")


async def test_a_direct_channel_has_no_threads_to_begin(world: World) -> None:
    place = Place.direct(int(world.fake.world.user("ana").id))
    with pytest.raises(Refused, match="no threads"):
        await world.platform.begin(place.channel_name, "proposal:1", "somebody approved a proposal")
