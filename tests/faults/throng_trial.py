"""Many conversations at once on Slack or Discord while the bot is killed and the provider fails (P3).

What people said decides what there must be; it is counted at the provider.
"""

import asyncio
import json
import random
import shutil
import tempfile
import time
from collections import Counter
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from store.chat.posts import Act
from tests.fakes.ports import free_port
from tests.faults.chat_people import SURFACES, Held, Opened
from tests.faults.chat_trial import furnished_for_kills, the_bot
from tests.faults.killing import Main, Mortal, Ready, living, until
from tests.faults.outside import Glimpse, Outside
from tests.scenarios.slack_stage import SlackStage

PATIENCE = 480.0
LOOKS_APART = 1.0  # seconds
SCALE = 10.0  # a call may take 1.5 s: so many talk at once that answers take their time
AGAIN = (0.5, 1.0, *(2.0,) * 500)  # seconds until an event is sent again
FEWEST = 60  # steps of a life, most of which a start needs
CARDS = ["status", "decision"]  # what a request is answered with, before anything else


@dataclass(frozen=True, kw_only=True)
class Throng:
    """So many people; each asks for work and then, again and again, how it goes."""

    surface: str
    seed: int
    people: int = 40
    remarks: int = 14
    kills: int = 12
    longest: int = 700  # steps of a life that ends with a kill


@dataclass
class Counted:
    throng: Throng
    died: int = 0
    posts: int = 0
    faults: int = 0
    took: float = 0.0
    wrongs: list[str] = field(default_factory=list)


# ── the provider's side ─────────────────────────────────────────────────────────────────────────────────────────


class Speaker:
    """Asks how it goes without waiting for the answer, so that several messages of one thread are on their way."""

    def __init__(self, opened: Opened, number: int, throng: Throng) -> None:
        self._stage, self._count, self._throng = opened.stage, opened.count, throng
        self._who = f"speaker{number}"
        self._direct = throng.surface != "discord" and number % 4 > 0  # there a direct channel has no threads
        self._chance = random.Random(f"{throng.seed} {number}")
        self.thread = ""

    async def talk(self) -> None:
        await asyncio.sleep(self._chance.uniform(0, 3.0))
        mention = not self._direct
        self.thread = await self._stage.say(self._who, "add a health check", mention=mention, direct=self._direct)
        await self._sees(len(CARDS))
        for _ in range(self._throng.remarks):
            await asyncio.sleep(self._chance.uniform(0, 0.4))
            await self._stage.say(self._who, "cost", thread=self.thread)
        await self._sees(len(CARDS) + self._throng.remarks)

    async def _sees(self, many: int) -> None:
        late = time.monotonic() + PATIENCE
        while (seen := self._count(self.thread)) < many:
            assert time.monotonic() < late, f"{self.thread}: {seen} messages, never {many}"
            await asyncio.sleep(0.2)


def a_provider(throng: Throng, port: int, wire: "Connection[Any, Any]") -> Main:
    """Tells on the wire when everybody has said everything, and when it is asked, what there is."""

    async def main(ready: Ready) -> None:
        async with AsyncExitStack() as stack:
            opened = await SURFACES[throng.surface](stack, throng.seed, port)
            if isinstance(opened.stage, SlackStage):  # so many events that are sent again at once would drown the bot
                opened.stage.fake.deliveries.times.retries = AGAIN
            ready(json.dumps(opened.environ))
            speakers = [Speaker(opened, number, throng) for number in range(throng.people)]
            talks = await asyncio.gather(*(speaker.talk() for speaker in speakers), return_exceptions=True)
            problems = [f"{type(problem).__name__}: {problem}" for problem in talks if problem]
            wire.send(problems)
            while True:
                if wire.poll():
                    wire.recv()
                    wire.send([opened.look(speaker.thread, "").dump() for speaker in speakers])
                await asyncio.sleep(0.02)

    return main


# ── counting ────────────────────────────────────────────────────────────────────────────────────────────────────


def wrong_threads(glimpse: Glimpse, held: list[Held], remarks: int) -> list[str]:
    """Lost, doubled or out of order: in each thread exactly what was asked for, in the outbox's order."""
    wrongs: list[str] = []
    rows = sorted((row for row in glimpse.rows("posts") if row.act == Act.POST), key=lambda row: int(row.id))
    for one in held:
        wanted = [row for row in rows if row.thread == one.thread]
        shown = [message.id for message in one.messages if message.by_bot]
        kinds = [row.key.partition(":")[0] for row in wanted]
        if kinds[: len(CARDS)] != CARDS or Counter(kinds[len(CARDS) :]) != Counter({"reply": remarks}):
            wrongs.append(f"{one.thread}: wanted were {kinds}")
        wrongs += [f"{one.thread}: lost {row.key}" for row in wanted if row.message not in shown]
        known = {row.message for row in wanted}
        wrongs += [f"{one.thread}: doubled {id}" for id in shown if id not in known]
        if sorted(shown) == sorted(known) and shown != [row.message for row in wanted]:
            wrongs.append(f"{one.thread}: out of order")
        wrongs += [f"{one.thread}: marked {m.marks} times" for m in one.messages if not m.by_bot and m.marks != 1]
    everywhere = set.intersection(*(set(one.strays) for one in held))
    return wrongs + [f"in no thread: {stray}" for stray in everywhere]


def wrong_rows(glimpse: Glimpse, people: int) -> list[str]:
    wrongs = [f"{key} is {state}" for key, state in glimpse.deliveries.items() if state != "handled"]
    if glimpse.count("snapshots") != people:
        wrongs.append(f"{glimpse.count('snapshots')} tasks of {people} people")
    return wrongs + glimpse.wrongs()


class Watch:
    """Looks now and then, and after each kill, at whether everything would go on (P6)."""

    def __init__(self, outside: Outside) -> None:
        self._outside, self._looked = outside, 0.0
        self.wrongs: list[str] = []

    def look(self) -> None:
        if self._outside.exists:
            with self._outside.look() as glimpse:
                self.wrongs += [f"P6: nothing moves {task}" for task in glimpse.stalled]

    def now_and_then(self) -> bool:
        """Whether it was time to."""
        if time.monotonic() - self._looked < LOOKS_APART:
            return False
        self._looked = time.monotonic()
        self.look()
        return True

    def is_idle(self) -> bool:
        if not self.now_and_then():
            return False
        with self._outside.look() as glimpse:
            return glimpse.is_idle


def run_throng(throng: Throng) -> Counted:
    started, counted = time.monotonic(), Counted(throng)
    home = furnished_for_kills(Path(tempfile.mkdtemp(prefix=f"overlord-throng-{throng.surface}-")))
    ours, theirs = Pipe()
    chance = random.Random(throng.seed)
    kills = [chance.randint(FEWEST, throng.longest) for _ in range(throng.kills)]
    outside = Outside(home / "overlord.db")
    with living(Mortal(a_provider(throng, free_port(), theirs), home / "provider.log")) as provider:
        watch = Watch(outside)
        mortal = Mortal(
            the_bot(home, json.loads(provider.address), SCALE), home / "bot.log", kills, on_death=watch.look
        )
        try:
            with living(mortal):
                _until_over(mortal, watch, ours, counted)
                ours.send("count")
                held = [Held.read(text) for text in ours.recv()]
                counted.died, counted.faults = mortal.died, held[0].faults
                counted.posts = sum(message.by_bot for one in held for message in one.messages)
                with outside.look() as glimpse:
                    counted.wrongs += wrong_threads(glimpse, held, throng.remarks) + wrong_rows(glimpse, throng.people)
        except AssertionError as problem:
            counted.wrongs.append(str(problem))
    counted.wrongs += watch.wrongs
    counted.took = time.monotonic() - started
    if counted.wrongs:
        counted.wrongs.append(f"what it left behind: {home}")
    else:
        shutil.rmtree(home)
    return counted


def _until_over(mortal: Mortal, watch: Watch, wire: "Connection[Any, Any]", counted: Counted) -> None:
    def told() -> bool:
        watch.now_and_then()
        return wire.poll()

    until(told, mortal, what="everybody has said everything", patience=PATIENCE + 30)
    counted.wrongs += wire.recv()
    until(watch.is_idle, mortal, what="nothing is left to do", patience=PATIENCE)
