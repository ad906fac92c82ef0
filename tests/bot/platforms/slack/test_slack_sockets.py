"""Sockets that die in five ways are rebuilt, and what was said meanwhile is heard once."""

import asyncio
import logging
import statistics
import time

import pytest

from agents.domain.ids import Thread
from tests.fakes.slack import fake_slack
from tests.fakes.slack.fake import CHANNEL
from tests.fakes.slack.faults import Fault
from tests.fakes.slack.listening import HTTP, SOCKET, joined, listening
from tests.fakes.slack.people import MENTION
from tests.fakes.slack.socket import Drop
from tests.fakes.slack.world import TEAM

ANA = "U0ANA"
HERE = f"slack:{TEAM}:{CHANNEL}"


@pytest.mark.parametrize("how", list(Drop))
async def test_a_dropped_socket_is_heard_again(how: Drop) -> None:
    """P13, with times made shorter: pings 0.4 s instead of 5 s apart, silence of 1.5 s instead of 15 s.

    Drop after drop, of all kinds under one gateway, is in tests/faults/test_sockets.py.
    """
    async with listening(SOCKET) as here:
        here.fake.deliveries.times.acknowledge = 0.5
        here.fake.deliveries.times.retries = (0.2,) * 40
        before = here.fake.sockets.opened
        await here.fake.sockets.drop(how)
        here.fake.say(ANA, CHANNEL, f"{MENTION} add login")
        await here.until(lambda: here.said)
        assert here.fake.sockets.opened > before
        await here.fake.deliveries.settled()
        assert [said.text for said in here.said] == ["add login"]
        assert here.fake.unacknowledged == []


async def test_slack_may_be_away_when_the_program_starts() -> None:
    async with fake_slack() as fake:
        fake.server.faults.plan("auth.test", Fault.ERROR_BEFORE)
        fake.deliveries.times.retries = (0.5,) * 30
        async with joined(fake, SOCKET) as here:
            fake.say(ANA, fake.world.direct(ANA).id, "hello")
            await here.until(lambda: here.said)


async def test_connections_that_are_refused_for_a_while_are_tried_again() -> None:
    async with listening(SOCKET) as here:
        here.fake.deliveries.times.retries = (0.2,) * 60
        here.fake.server.faults.plan("apps.connections.open", Fault.ERROR_BEFORE, Fault.RESET_BEFORE, Fault.NOT_JSON)
        await here.fake.sockets.drop(Drop.ABORT)
        here.fake.say(ANA, here.fake.world.direct(ANA).id, "hello")
        await here.until(lambda: here.said)


async def test_an_event_that_was_not_stored_is_not_acknowledged() -> None:
    async with listening(SOCKET) as here:
        here.fake.deliveries.times.acknowledge = 0.3
        here.fake.deliveries.times.retries = (0.1,) * 20
        here.broken = True
        here.fake.say(ANA, here.fake.world.direct(ANA).id, "hello")
        await asyncio.sleep(0.5)
        assert not here.fake.deliveries.sent[0].ok
        here.broken = False
        await here.fake.deliveries.settled()
        assert here.fake.unacknowledged == []
        assert [said.text for said in here.said] == ["hello"]


@pytest.mark.parametrize("mode", [SOCKET, HTTP])
async def test_what_is_delivered_again_does_nothing(mode: str) -> None:
    async with listening(mode) as here:
        here.fake.deliveries.copies = 4
        for number in range(25):
            here.fake.say(ANA, CHANNEL, f"{MENTION} add login {number}")
        await here.fake.deliveries.settled()
        assert sorted(said.text for said in here.said) == sorted(f"add login {n}" for n in range(25))
        sent = sum(each.attempts for each in here.fake.deliveries.sent)  # more than four times where an ack came late
        assert sent >= 25 * 2 * 4
        await here.until(lambda: here.again == sent - 25)


async def test_an_ack_that_comes_too_late_is_a_redelivery_that_does_nothing() -> None:
    async with listening(HTTP) as here:
        here.fake.deliveries.times.acknowledge = 0.2
        here.fake.deliveries.times.retries = (0.0, 0.3)
        here.slow = 0.4
        here.fake.say(ANA, here.fake.world.direct(ANA).id, "hello")
        await here.until(lambda: here.fake.deliveries.sent[0].attempts >= 2)
        here.slow = 0.0
        await here.fake.deliveries.settled()
        assert [said.text for said in here.said] == ["hello"]
        assert here.fake.unacknowledged == []


# ── catching up ─────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("mode", [SOCKET, HTTP])
async def test_what_was_said_while_it_was_down_is_heard_once(mode: str) -> None:
    """P14: ten minutes away, fifty messages; the last of them Slack sends again as well."""
    async with fake_slack() as fake:
        fake.deliveries.times.retries = ()
        fake.deliveries.times.acknowledge = 0.05
        fake.deliveries.url = "http://127.0.0.1:9/slack/events" if mode == HTTP else ""
        start = time.time() - 600
        old = fake.say(ANA, CHANNEL, "too old", at=start - 90_000)
        before = fake.say(ANA, CHANNEL, f"{MENTION} heard before", at=start)
        live = fake.say(ANA, CHANNEL, f"{MENTION} a thread that lives", at=start - 7_000)
        direct = fake.world.direct("U0NEW").id
        for number in range(20):
            fake.say(ANA, CHANNEL, f"{MENTION} new {number}", at=start + 10 + number)
            fake.say(ANA, CHANNEL, f"reply {number}", live, at=start + 60 + number)
        newest = fake.say(ANA, CHANNEL, f"{MENTION} with a reply", at=start + 200)
        for number in range(8):
            fake.say(ANA, CHANNEL, f"below {number}", newest, at=start + 210 + number)
        fake.say("U0NEW", direct, "in private", at=start + 300)
        fake.say("U0BOT2", CHANNEL, "a bot", at=start + 301, bot_id="B0OTHER", subtype="bot_message")
        await fake.deliveries.settled()

        marks = {before: before, live: live, old: f"{old}~octagonal_sign"}
        threads = {Thread(f"{HERE}:{root}"): last for root, last in marks.items()}
        fake.deliveries.times.acknowledge = 3.0
        known = frozenset({f"{HERE}:{before}", f"{HERE}:{live}"})
        async with joined(fake, mode, known, threads) as here:
            await here.until(lambda: len(here.said) >= 50)
            fake.deliveries.times.retries = (0.1,)
            fake.deliveries.event(fake.deliveries.sent[-2].payload["event"])
            await fake.deliveries.settled()
            assert len(here.said) == 50
            texts = [said.text for said in here.said]
            assert "in private" in texts
            assert "too old" not in texts
            assert texts.index("new 0") < texts.index("reply 0") < texts.index("with a reply") < texts.index("below 7")
            assert here.said[0].at.timestamp() == pytest.approx(start + 10, abs=1), "dated by when it was said"


async def test_a_bot_that_never_heard_anything_reads_no_history() -> None:
    async with fake_slack() as fake:
        fake.deliveries.times.retries = ()
        fake.say(ANA, CHANNEL, f"{MENTION} before it was invited", at=time.time() - 60)
        await fake.deliveries.settled()
        async with joined(fake, SOCKET) as here:
            await asyncio.sleep(0.2)
            assert here.heard == []
            assert fake.calls("conversations.history") == []


async def test_it_reads_on_from_the_last_that_was_said_anywhere_and_nothing_from_before_a_thread_was_ours() -> None:
    async with fake_slack() as fake:
        start = time.time() - 600
        async with joined(fake, SOCKET) as first:
            root = fake.say(ANA, CHANNEL, "the login is slow", at=start)
            fake.say(ANA, CHANNEL, "very slow", root, at=start + 1)
            asked = fake.say(ANA, CHANNEL, f"{MENTION} mend it", root, at=start + 2)
            first.marked = int(float(fake.say(ANA, CHANNEL, "lunch?", at=start + 300)) * 1_000_000)
            await fake.deliveries.settled()
            first.threads = {Thread(f"{HERE}:{root}"): asked}
        fake.deliveries.times.retries = ()
        fake.say(ANA, CHANNEL, "and quickly", root, at=start + 400)
        async with joined(fake, SOCKET, frozenset(first.keys), store=first) as here:
            await here.until(lambda: here.said)
            await asyncio.sleep(0.1)
            assert [said.text for said in here.said] == ["and quickly"]
            assert min(float(call["oldest"]) for call in fake.calls("conversations.history")) >= start + 200


async def test_a_limit_during_catch_up_is_waited_for() -> None:
    async with fake_slack() as fake:
        fake.deliveries.times.retries = ()
        first = fake.say(ANA, CHANNEL, "one", at=time.time() - 60)
        fake.say(ANA, CHANNEL, f"{MENTION} two", at=time.time() - 30)
        await fake.deliveries.settled()
        fake.server.faults.plan("conversations.history", Fault.RATE_LIMITED, Fault.ERROR_BEFORE)

        async with joined(fake, SOCKET, threads={Thread(f"{HERE}:{first}"): first}) as here:
            await here.until(lambda: len(here.said) == 2)


async def test_a_rebuilt_socket_catches_up_too() -> None:
    async with listening(SOCKET, threads={Thread(f"{HERE}:1.0"): f"{time.time() - 300:.6f}"}) as here:
        await here.until(lambda: here.fake.calls("conversations.history"))
        here.fake.deliveries.times.retries = ()
        here.fake.deliveries.times.acknowledge = 0.1
        await here.fake.sockets.drop(Drop.HALF_OPEN)
        here.fake.say(ANA, CHANNEL, f"{MENTION} said into the void")
        await here.until(lambda: here.said)


# ── under load ──────────────────────────────────────────────────────────────────────────────────────────────────


async def test_all_is_acknowledged_and_heard_once_under_load() -> None:
    """P10 in small: 83 events a second for three seconds. The numbers are for the log; the bench measures them."""
    async with listening(SOCKET) as here:
        for number in range(249):
            here.fake.say(ANA, here.fake.world.direct(ANA).id, f"talk {number}")
            await asyncio.sleep(1 / 83)
        await here.fake.deliveries.settled()
        took = sorted(sent.took or 9.9 for sent in here.fake.deliveries.sent)
        logging.getLogger(__name__).info("ack p50 %.4f p99 %.4f", statistics.median(took), took[-3])
        assert here.fake.unacknowledged == []
        assert len(here.said) == 249
