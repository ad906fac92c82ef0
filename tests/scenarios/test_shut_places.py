"""A platform that says no: archived or locked places, missing rights, deleted messages. Nothing is lost."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from agents.domain.decisions.authority import Kind
from agents.domain.ids import Thread
from agents.ports import Asked
from bot.platforms.discord.notation import Place
from bot.platforms.slack import notation
from tests.fakes.slack.fake import CHANNEL
from tests.fakes.work import ScriptedMinions, Workshop, says
from tests.scenarios.conftest import Opened, Play
from tests.scenarios.stage import until
from tests.scenarios.working import THREE_SUBTASKS, at_work, given

STAGES = ("discord", "slack", "slack-http")  # the console is a place that nobody shuts
QUICK = "limits: {{question_default: 20, reminder: 600000}}\n"  # two seconds of a test
COLOUR = Asked(question="Which colour?", options=("red", "blue"), default="red")


def asks(until_: Any) -> Workshop:
    """A minion that asks once the test lets it."""

    async def play(brief: Any, watch: Any) -> Any:
        await until_.wait()
        return await says(COLOUR)(brief, watch)

    return Workshop(minions=ScriptedMinions(scripts={1: [play]}))


def shut(play: Play, thread: str, how: str) -> None:
    fake: Any = play.stage.fake  # type: ignore[attr-defined]
    if play.stage.name == "slack":
        fake.world.channels[CHANNEL].archived = True
    elif how == "locked":
        place = fake.world.channels[Place.of(Thread(thread)).root]
        place.archived = place.locked = True
    else:
        fake.messages.barred.add(fake.general.id)


def open_again(play: Play, thread: str) -> None:
    fake: Any = play.stage.fake  # type: ignore[attr-defined]
    if play.stage.name == "slack":
        fake.world.channels[CHANNEL].archived = False
        return
    fake.messages.barred.clear()
    fake.world.channels[Place.of(Thread(thread)).root].locked = False


async def told_directly(play: Play, who: str) -> str:
    """What this person was told in a direct message."""
    fake: Any = play.stage.fake  # type: ignore[attr-defined]

    async def look() -> str | None:
        if play.stage.name == "slack":
            direct = fake.world.direct(notation.user(play.stage.account(who))).id
            found = [m.text for m in fake.world.messages if m.channel == direct and m.bot_id]
        else:
            found = [fake.seen(m).text for m in fake.world.direct(fake.world.user(who)).messages]
        return "\n".join(found) or None

    return await until(look, f"a direct message to {who}")


@pytest.mark.parametrize("how", ["barred", "locked"])  # on Slack both are an archived channel
async def test_a_question_waits_for_its_channel_and_time_does_not_answer_it(opened: Opened, how: str) -> None:
    go = asyncio.Event()
    play, thread = await at_work(opened, given(asks(go), config=QUICK))
    await play.sees("ana", thread, "a minion has started")
    shut(play, thread, how)
    go.set()
    assert "cannot write in the thread of T-1" in await told_directly(play, "ana")
    await play.happened("DecisionDeferred")
    assert "MinionAnswered" not in await play.facts(), "nobody could see it"
    needs = (await play.task()).of_kind(Kind.QUESTION)
    assert needs, "it waits for people, in the console too"
    open_again(play, thread)
    await play.sees("ana", thread, "Which colour?")
    await play.stage.press("ana", thread, "blue")
    await play.sees("ana", thread, "Which colour?", "blue", gone="red")


async def test_a_status_card_that_was_deleted_comes_back_at_its_next_change(opened: Opened) -> None:
    play, thread = await at_work(opened, given(Workshop(), decompose=THREE_SUBTASKS))
    await play.sees("ana", thread, "T-1 is ready to merge")
    fake: Any = play.stage.fake  # type: ignore[attr-defined]
    await play.silence("ana", thread)
    before = [m for m in await play.stage.shown("ana", thread) if m.text.startswith("T-1 · ")]
    assert len(before) == 1
    if play.stage.name == "slack":
        place = notation.place(Thread(thread))
        card = next(m for m in fake.thread(place.channel, place.ts) if m.words.startswith("T-1 · "))
        fake.delete(place.channel, card.ts)
    else:
        channel = fake.world.channels[Place.of(Thread(thread)).root]
        channel.messages.remove(next(m for m in channel.messages if "T-1 · " in fake.seen(m).text))
    await play.stage.press("lead", thread, "Merge it")
    await play.sees("ana", thread, "T-1 is merged")
    await play.sees("ana", thread, "T-1 · ")
    await play.silence("ana", thread)
    after = [m for m in await play.stage.shown("ana", thread) if m.by_bot and "T-1 · " in m.text]
    assert len(after) == 1, "once, and not before it has something to say"


async def test_a_request_that_was_deleted_at_once_is_told_to_whoever_wrote_it(opened: Opened) -> None:
    play = await opened(given(Workshop()))
    fake: Any = play.stage.fake  # type: ignore[attr-defined]
    if play.stage.name == "slack":
        ts = notation.place(Thread(await play.stage.say("ana", "add a login page", mention=True))).ts
        fake.delete(CHANNEL, ts)
    else:
        await fake.gateway.listened()
        first = fake.say(fake.world.user("ana"), fake.general, f"{fake.bot_mention} add a login page")
        fake.general.messages.remove(first)
    told = await told_directly(play, "ana")
    assert "was deleted" in told and "cancel T-1" in told


async def test_a_plan_arrives_without_its_picture_where_files_are_not_allowed(opened: Opened) -> None:
    play = await opened(replace(given(Workshop(), decompose=THREE_SUBTASKS), work=Workshop()))
    if play.stage.name == "slack":
        play.stage.fake.server.scopes -= {"files:write"}  # type: ignore[attr-defined]
    else:
        fake: Any = play.stage.fake  # type: ignore[attr-defined]
        fake.messages.no_files.add(fake.general.id)
    thread = await play.stage.say("ana", "add a login page", mention=True)
    card = await play.sees("ana", thread, "please look at the plan", "Put both together")
    assert "Approve plan" in card.buttons


async def test_decided_cards_are_edited_where_nothing_may_be_read_back(opened: Opened) -> None:
    """Also after a restart, when the bot no longer knows by heart what it wrote."""
    play = await opened(given(Workshop()))
    if play.stage.name == "slack":
        play.stage.fake.server.scopes -= {"channels:history"}  # type: ignore[attr-defined]
    else:
        fake: Any = play.stage.fake  # type: ignore[attr-defined]
        fake.messages.no_history.add(fake.general.id)
    thread = await play.stage.say("ana", "add a login page", mention=True)
    await play.sees("ana", thread, "please look at the plan")
    await play.host.restart()
    await play.stage.press("lead", thread, "Approve plan")
    await play.sees("ana", thread, "T-1: plan approved", "Plan approved by", gone="Approve plan")
