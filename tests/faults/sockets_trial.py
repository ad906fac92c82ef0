"""Sockets that die in five ways under one gateway, in an order drawn by chance, and how long it is deaf each time."""

import asyncio
import random
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.fakes.discord import FakeDiscord
from tests.fakes.discord.inbox import Kept, listening as on_discord
from tests.fakes.slack.fake import CHANNEL
from tests.fakes.slack.listening import SOCKET, listening as on_slack
from tests.fakes.slack.people import MENTION
from tests.fakes.slack.socket import Drop

DROPS = 20
PATIENCE = 120.0
ANA = "U0ANA"


@dataclass
class Deaf:
    """Seconds from each drop until what was said right after it was heard, by the way it was dropped."""

    seconds: dict[str, list[float]] = field(default_factory=dict)
    heard: list[str] = field(default_factory=list)

    def took(self, how: str, seconds: float) -> None:
        self.seconds.setdefault(how, []).append(seconds)

    @property
    def worst(self) -> float:
        return max(max(each) for each in self.seconds.values())

    @property
    def drops(self) -> int:
        return sum(len(each) for each in self.seconds.values())


def order(kinds: Sequence[str], weights: Sequence[int], seed: int) -> list[str]:
    """Each kind so often, in an order drawn by chance."""
    drawn = [kind for kind, times in zip(kinds, weights, strict=True) for _ in range(times)]
    random.Random(seed).shuffle(drawn)
    return drawn


async def _heard(there: Callable[[], int], count: int) -> None:
    late = time.monotonic() + PATIENCE
    while there() < count:
        assert time.monotonic() < late, f"still deaf after {PATIENCE:.0f} s"
        await asyncio.sleep(0.01)


# ── Slack ───────────────────────────────────────────────────────────────────────────────────────────────────────


async def drop_slack(seed: int, **options: Any) -> Deaf:
    """`options` replace the gateway's short times. Slack sends again what nobody acknowledged, as it does."""
    deaf, kinds = Deaf(), [kind.name for kind in Drop]
    async with on_slack(SOCKET, **options) as here:
        here.fake.deliveries.times.acknowledge = 0.5
        here.fake.deliveries.times.retries = (0.2,) * 300
        for number, how in enumerate(order(kinds, [DROPS // len(kinds)] * len(kinds), seed)):
            await _heard(lambda: len(here.fake.sockets.open), 1)
            dropped = time.monotonic()
            await here.fake.sockets.drop(Drop[how])
            here.fake.say(ANA, CHANNEL, f"{MENTION} {number}")
            await _heard(lambda: len(here.said), number + 1)
            deaf.took(how, time.monotonic() - dropped)
            await here.fake.deliveries.settled(PATIENCE)
        deaf.heard = [said.text for said in here.said]
        assert here.fake.unacknowledged == []
    return deaf


# ── Discord ─────────────────────────────────────────────────────────────────────────────────────────────────────


async def _cut(fake: FakeDiscord) -> None:
    fake.gateway.drop()


async def _closed(fake: FakeDiscord) -> None:
    await fake.gateway.close(4000)


async def _half_open(fake: FakeDiscord) -> None:
    fake.gateway.half_open()


async def _asked(fake: FakeDiscord) -> None:
    await fake.gateway.ask_to_reconnect()


async def _forgotten(fake: FakeDiscord) -> None:
    """The session is gone too: what was said meanwhile is only in the history."""
    await fake.gateway.invalidate()


# How often each: the library waits five seconds before it begins a session anew.
DISCORD: dict[str, tuple[Callable[[FakeDiscord], Awaitable[None]], int]] = {
    "cut": (_cut, 5),
    "closed": (_closed, 5),
    "half open": (_half_open, 4),
    "asked to reconnect": (_asked, 4),
    "session forgotten": (_forgotten, 2),
}


async def drop_discord(seed: int, **options: object) -> Deaf:
    deaf, kept = Deaf(), Kept()
    async with FakeDiscord().running() as fake:
        ana = fake.world.user("ana")
        async with on_discord(fake, kept, **options):
            for number, how in enumerate(order(list(DISCORD), [times for _, times in DISCORD.values()], seed)):
                await fake.gateway.listened(PATIENCE)
                dropped = time.monotonic()
                await DISCORD[how][0](fake)
                fake.say(ana, fake.general, f"{fake.bot_mention} {number}")
                await _heard(lambda: len(kept.texts), number + 1)
                deaf.took(how, time.monotonic() - dropped)
        deaf.heard = kept.texts
    return deaf
