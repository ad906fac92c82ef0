"""Signed HTTP events from a Slack that sends again what nobody acknowledged, to a bot that is killed meanwhile (P1).

Slack writes down what it saw acknowledged; afterwards each of these is looked for in the store.
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
from functools import partial
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from tests.fakes.ports import free_port
from tests.fakes.slack import fake_slack
from tests.fakes.slack.delivery import SIGNING_SECRET, Sent
from tests.fakes.slack.fake import CHANNEL
from tests.fakes.slack.people import MENTION
from tests.fakes.slack.server import BOT_TOKEN
from tests.fakes.slack.world import TEAM
from tests.faults.chat_trial import furnished_for_kills, the_bot
from tests.faults.killing import Main, Mortal, Ready, Steps, living, until
from tests.faults.outside import Glimpse, Outside

PATIENCE = 300.0
AGAIN = (0.05, *(0.1,) * 2000)  # seconds between two tries: Slack's own are minutes, but it gives up after three
ACKNOWLEDGE = 1.0
PERSON = "U0PERSON"


@dataclass(frozen=True, kw_only=True)
class Mail:
    """Messages by so many people, each with a direct channel; a mention elsewhere is two events."""

    seed: int
    messages: int = 900
    people: int = 30
    kills: int = 40


@dataclass
class Counted:
    mail: Mail
    events: int = 0  # acknowledged
    attempts: int = 0
    died: int = 0
    took: float = 0.0
    lost: list[str] = field(default_factory=list)
    wrongs: list[str] = field(default_factory=list)

    @property
    def is_right(self) -> bool:
        return not self.lost and not self.wrongs


def a_slack(mail: Mail, port: int, acknowledged: Steps, wire: "Connection[Any, Any]") -> Main:
    """Everybody writes the next message once the last one was acknowledged; then it tells what was."""

    async def main(ready: Ready) -> None:
        async with AsyncExitStack() as stack:
            fake = await stack.enter_async_context(fake_slack())
            fake.deliveries.url = f"http://127.0.0.1:{port}/slack/events"
            fake.deliveries.times.acknowledge, fake.deliveries.times.retries = ACKNOWLEDGE, AGAIN
            environ = {"SLACK_BOT_TOKEN": BOT_TOKEN, "SLACK_API_URL": fake.api_url}
            signed = {"SLACK_SIGNING_SECRET": SIGNING_SECRET, "OVERLORD_HTTP_PORT": str(port)}
            ready(json.dumps(environ | signed))

            async def writes(person: int) -> None:
                user = f"{PERSON}{person}"
                fake.world.add_user(user, f"Person {person}")
                for number in range(person, mail.messages, mail.people):
                    direct, before = number % 3 > 0, len(fake.deliveries.sent)
                    where, words = (fake.world.direct(user).id, "") if direct else (CHANNEL, f"{MENTION} ")
                    fake.say(user, where, f"{words}add health check {number}")
                    mine = fake.deliveries.sent[before:]
                    await _taken(mine)
                    acknowledged.count(acknowledged.made + len(mine))

            await asyncio.gather(*(writes(person) for person in range(mail.people)))
            heard = [sent.payload["event"] for sent in fake.deliveries.sent if sent.ok]
            by_people = [event for event in heard if str(event.get("user")).startswith(PERSON) and "text" in event]
            own = [f"slack:{TEAM}:{event['channel']}:{event['ts']}" for event in by_people]
            wire.send((own, sum(sent.attempts for sent in fake.deliveries.sent)))
            await asyncio.Event().wait()

    return main


async def _taken(events: list[Sent]) -> None:
    late = time.monotonic() + PATIENCE
    while not all(sent.ok for sent in events):
        assert time.monotonic() < late, "nobody acknowledges"
        await asyncio.sleep(0.01)


def count(counted: Counted, own: list[str], glimpse: Glimpse) -> None:
    """Each acknowledged event is in the store, once, and came to its end; each message is one task."""
    rows = glimpse.rows("deliveries")
    found = Counter(key for row in rows for key in (row.key, row.also) if key)
    states = {key: row.state for row in rows for key in (row.key, row.also) if key}
    counted.events = len(own)
    counted.lost = sorted({key for key in own if states.get(key) != "handled"})
    counted.wrongs += [f"there {found[key]} times: {key}" for key in set(own) if found[key] > 1]
    said = [row for row in rows if row.kind == "Said"]
    if len(said) != counted.mail.messages:
        counted.wrongs.append(f"{len(said)} deliveries of {counted.mail.messages} messages")
    if glimpse.count("snapshots") != counted.mail.messages:
        counted.wrongs.append(f"{glimpse.count('snapshots')} tasks of {counted.mail.messages} messages")
    counted.wrongs += glimpse.wrongs()


def run_mail(mail: Mail) -> Counted:
    started, counted = time.monotonic(), Counted(mail)
    home, port = furnished_for_kills(Path(tempfile.mkdtemp(prefix="overlord-signed-"))), free_port()
    (ours, theirs), acknowledged, outside = Pipe(), Steps(), Outside(home / "overlord.db")
    chance = random.Random(mail.seed)
    moments = sorted(chance.sample(range(1, mail.messages), mail.kills))
    with living(Mortal(a_slack(mail, port, acknowledged, theirs), home / "slack.log")) as slack:
        bot = Mortal(the_bot(home, json.loads(slack.address)), home / "bot.log")
        try:
            with living(bot):
                for moment in moments:
                    until(partial(_reached, acknowledged, moment), bot, slack, what="more", patience=PATIENCE)
                    time.sleep(chance.uniform(0, 0.05))  # wherever it is by then
                    bot.kill()
                    counted.died += 1
                    bot.start()
                until(ours.poll, bot, slack, what="everything is acknowledged", patience=PATIENCE)
                own, counted.attempts = ours.recv()
                until(lambda: _is_settled(outside), bot, what="everything is settled", patience=PATIENCE)
                with outside.look() as glimpse:
                    count(counted, own, glimpse)
        except AssertionError as problem:
            counted.wrongs.append(str(problem))
    counted.took = time.monotonic() - started
    if counted.is_right:
        shutil.rmtree(home)
    else:
        counted.wrongs.append(f"what it left behind: {home}")
    return counted


def _reached(acknowledged: Steps, moment: int) -> bool:
    return acknowledged.made >= moment


def _is_settled(outside: Outside) -> bool:
    """What is still to be posted is not waited for: that is counted elsewhere."""
    time.sleep(0.1)
    with outside.look() as glimpse:
        return "received" not in glimpse.states
