"""P14: the bot is away for ten minutes while fifty messages are written; back again, it handles each of them once.

What a request says by then is read too. Through the whole program. One person wrote them all, so they count against
the quota at the time they were said, not at the time they were read.
"""

import asyncio
import importlib
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from pathlib import Path

import discord
import pytest

from agents.domain.events import RequestCorrected
from agents.domain.ids import TaskId, Thread
from agents.ports import Ports
from bot.app import Program
from bot.platforms.discord.notation import Place
from bot.platforms.slack import notation
from store import tables
from store.chat.deliveries import DeliveryState
from store.transaction import Transaction
from tests.fakes.llm import ThinkingLlm
from tests.fakes.slack.fake import CHANNEL
from tests.fakes.slack.people import MENTION
from tests.fakes.slack.world import TEAM
from tests.scenarios.discord_stage import DiscordStage
from tests.scenarios.slack_stage import SlackStage
from tests.scenarios.stage import Host, Setup, Stage, until

AWAY, SAID = 600.0, 50
WHO = "ana"
Say = Callable[[str, str, float], None]  # words, a thread to reply in, and when


@dataclass
class Away:
    """A chat that goes on while the program is stopped."""

    stage: SlackStage | DiscordStage
    host: Host

    async def begun(self) -> str:
        """The thread of a first task, which the program has answered in. It began before the program was away."""
        thread = await self._said()

        async def answered() -> bool:
            return any("T-1 ·" in shown.text for shown in await self.stage.shown(WHO, thread))

        await until(answered, "the status card")
        return thread

    async def _said(self) -> str:
        if isinstance(self.stage, DiscordStage):
            return await self.stage.say(WHO, "speed up web", mention=True)
        ts = self.stage.fake.say("U0ANA", CHANNEL, f"{MENTION} speed up web", at=time.time() - AWAY - 60)
        return notation.thread(TEAM, CHANNEL, ts)


@dataclass
class Settled:
    tasks: int
    texts: Counter[str]
    states: Counter[str]


def config(stage: Stage) -> str:
    return "projects: [{name: web, path: .}]\n"


def thinking(ports: Ports) -> Ports:
    return replace(ports, llm=ThinkingLlm())


@pytest.fixture(params=["slack", "slack_http", "discord"])
async def away(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Away]:
    """On the real clock: how late something is counts here."""
    module = importlib.import_module(f"tests.scenarios.{request.param}_stage")
    async with AsyncExitStack() as stack:
        setup = Setup(home=tmp_path / "home", config=config, swap=thinking)
        stage, host = await module.open_stage(stack, setup)
        if isinstance(stage, DiscordStage):  # ids carry the time: these begin before the bot was away
            stage.fake.world._last_id, stage.fake.world.shift = 0, -AWAY - 60
        yield Away(stage, host)


def say_on(stage: SlackStage | DiscordStage) -> Say:
    def slack(text: str, thread: str, at: float) -> None:
        assert isinstance(stage, SlackStage)
        root = notation.place(thread).ts if thread else ""
        stage.fake.say("U0ANA", CHANNEL, text if thread else f"{MENTION} {text}", root, at=at)

    def on_discord(text: str, thread: str, at: float) -> None:
        assert isinstance(stage, DiscordStage)
        fake = stage.fake
        fake.world.shift = at - time.time()
        place = fake.world.channels[Place.of(Thread(thread)).root] if thread else fake.general
        fake.say(fake.world.user(WHO), place, text if thread else f"{fake.bot_mention} {text}")

    return slack if isinstance(stage, SlackStage) else on_discord


async def settled(host: Host) -> Settled:
    def look(tx: Transaction) -> Settled:
        rows = tx.db.execute(tables.deliveries.select()).all()
        said = (row for row in rows if row.state == DeliveryState.HANDLED)
        return Settled(
            tasks=len(tx.log.tasks(ended=True, limit=1000)),
            texts=Counter(str(row.body).partition('"text":"')[2].partition('"')[0] for row in said),
            states=Counter(row.state for row in rows),
        )

    assert host.program
    return await host.program.services.database.read(look)


@pytest.mark.timeout(120)
async def test_what_was_said_while_it_was_away_is_handled_once(away: Away) -> None:
    thread = await away.begun()
    if isinstance(away.stage, DiscordStage):  # it listened until ten minutes ago
        assert away.host.program
        mark = discord.utils.time_snowflake(discord.utils.utcnow()) - (int(AWAY * 1000) << 22)
        await away.host.program.services.database.write(lambda tx: tx.log.mark_read("discord messages", mark))
    await away.host.stop()

    say, began = say_on(away.stage), time.time() - AWAY + 5
    wanted = [f"remark {n}" if n % 2 else f"make web better {n}" for n in range(SAID)]
    for number, text in enumerate(wanted):
        say(text, thread if number % 2 else "", began + number * (AWAY - 30) / SAID)
    await away.host.start()

    async def all_handled() -> bool:
        return sum((await settled(away.host)).texts.values()) >= SAID + 1

    await until(all_handled, "fifty messages")
    await away.host.restart()  # it reads the same again, and Slack sends the same again
    await asyncio.sleep(1.0)
    now = await settled(away.host)
    assert now.texts == Counter(["speed up web", *wanted])
    assert now.tasks == 1 + SAID // 2
    assert now.states == Counter({DeliveryState.HANDLED: SAID + 1}), "none was over the quota"


def rewrite(stage: SlackStage | DiscordStage, thread: str, text: str) -> None:
    """Ana edits her request, and nobody is told of it later."""
    if isinstance(stage, SlackStage):
        place = notation.place(thread)
        stage.fake.deliveries.times.retries = ()
        stage.fake.edit("U0ANA", place.channel, place.ts, f"{MENTION} {text}")
    else:
        fake = stage.fake
        fake.world.shift = 0.0
        fake.rewrite(fake.world.message(Place.of(Thread(thread)).root), f"{fake.bot_mention} {text}")


@pytest.mark.timeout(120)
async def test_a_request_that_was_edited_while_it_was_away_is_corrected_once(away: Away) -> None:
    thread = await away.begun()
    await away.host.stop()
    rewrite(away.stage, thread, "speed up web and api")
    for _ in range(2):  # the second start reads the same again
        program = await away.host.start()

        async def corrected(program: Program = program) -> bool:
            tasks = await program.services.database.read(lambda tx: tx.log.tasks(ended=True, limit=10))
            return [task.request.text for task in tasks] == ["speed up web and api"]

        await until(corrected, "the new words")
        await asyncio.sleep(0.5)
        facts = await program.services.database.read(lambda tx: [f.event for f in tx.log.facts(TaskId("T-1"))])
        assert sum(isinstance(fact, RequestCorrected) for fact in facts) == 1
        await away.host.stop()


@pytest.mark.timeout(120)
async def test_an_edit_that_was_heard_is_not_heard_again_when_it_is_read(away: Away) -> None:
    thread = await away.begun()
    await away.stage.edit(WHO, thread, "speed up web and api")

    async def edits(host: Host = away.host) -> Counter[str]:
        assert host.program
        rows = await host.program.services.database.read(lambda tx: tx.db.execute(tables.deliveries.select()).all())
        return Counter(row.state for row in rows if row.kind == "Edited")

    await until(edits, "the edit")
    await away.host.restart()
    await asyncio.sleep(1.0)
    assert await edits() == Counter({DeliveryState.HANDLED: 1})
