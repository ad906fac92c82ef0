"""P10 on Discord: how long a press waits for the answer that keeps it alive, with the whole program behind it.

Forty people press the same button of a plan, again and again. None has the right: each press is stored, acknowledged,
and then refused in private.
"""

import asyncio
import time
from pathlib import Path
from statistics import median, quantiles

from tests.bench import ack
from tests.bench.floor import folder
from tests.bench.rows import Row, Say
from tests.fakes.discord import FakeDiscord
from tests.fakes.discord.interactions import Interaction
from tests.fakes.discord.world import Message

PER_SECOND, SECONDS = 20, 10
PEOPLE = 40
PATIENCE = 60.0  # seconds for the plan
REQUEST = "Count how often each link is used"
BUTTON = "Approve plan"
CONFIG = "limits: {quota_per_person: 10000, quota_per_channel: 10000}\n"


def run(say: Say) -> list[Row]:
    with folder() as home:
        (home / "overlord.yaml").write_text(CONFIG)
        took = asyncio.run(_pressed(home))
    p50, p99, worst = (1e3 * each for each in (median(took), quantiles(took, n=100)[98], max(took)))
    say(f"{len(took)} presses: p50 {p50:.1f}, p99 {p99:.1f}, worst {worst:.0f} ms")
    what = f"from a press on Discord to its first answer, {PER_SECOND}/s for {SECONDS} s"
    return [Row(name="press_on_discord_worst", ours=worst, most_ours=1000, beside=what)]


async def _pressed(home: Path) -> list[float]:
    async with FakeDiscord().running() as fake:
        environ = {
            "DISCORD_TOKEN": fake.token,
            "DISCORD_API_URL": fake.api_url,
            "DISCORD_GATEWAY_URL": fake.gateway_url,
        }

        async def listens() -> bool:
            await fake.gateway.listened()
            return True

        async with ack.program(home, environ, listens):
            plan = await _plan(fake)
            presses = await _presses(fake, plan)
            return [await _waited(press) for press in presses]


async def _plan(fake: FakeDiscord) -> Message:
    asked = fake.say(fake.world.user("ana"), fake.general, f"{fake.bot_mention} {REQUEST}")
    async with asyncio.timeout(PATIENCE):
        while True:
            thread = fake.world.channels.get(asked.id)
            for message in thread.messages if thread else ():
                if BUTTON in fake.seen(message).buttons:
                    return message
            await asyncio.sleep(0.05)


async def _presses(fake: FakeDiscord, plan: Message) -> list[Interaction]:
    made, began = list[Interaction](), time.monotonic()
    for number in range(PER_SECOND * SECONDS):
        made.append(fake.press(fake.world.user(f"p{number % PEOPLE}"), plan, BUTTON))
        await asyncio.sleep(max(0.0, began + (number + 1) / PER_SECOND - time.monotonic()))
    return made


async def _waited(press: Interaction) -> float:
    await press.answered()
    return press.answered_after
