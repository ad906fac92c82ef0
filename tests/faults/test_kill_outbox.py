"""Each post appears once and in order, though its sender is killed and its provider accepts and then fails (P3)."""

import random
import time
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from agents.domain.ids import Account, Thread
from agents.domain.limits import Limits
from bot.delivery.announcer import wish
from bot.delivery.outbox import Outbox
from bot.live import ChangeNotifier
from bot.messages import Card, Later
from bot.services import Leases
from store.migrations import migrate
from store.running.leases import Lease
from store.sql import make_engines
from store.transaction import Transaction
from tests.fakes.clock import ScaledClock
from tests.fakes.flaky_provider import FlakyPlatform
from tests.faults.killing import side_by_side
from tests.faults.outbox_trial import Errand, office_in, run_errand
from tests.faults.tasks import NOW


@pytest.mark.timeout(240)
def test_no_post_is_lost_doubled_or_out_of_order_whoever_dies_meanwhile() -> None:
    seed = random.SystemRandom().randrange(10**6)
    errands = [Errand(seed=seed, threads=20), Errand(seed=seed + 1, threads=20, senders=2, kills=8)]
    done = list(side_by_side(run_errand, errands, at_once=2))
    wrong = [sent for sent in done if not sent.is_right]
    assert not wrong, f"again: python -m tests.bench.kill_every_step --outbox {seed}\n{wrong}"
    assert sum(sent.posts for sent in done) >= 500
    assert sum(sent.died for sent in done) >= 20


def test_an_edit_that_a_clock_set_back_put_off_is_sent_in_the_end(tmp_path: Path) -> None:
    start, thread = NOW, Thread("flaky:room:0")
    writer, _ = make_engines(f"sqlite:///{tmp_path / 'overlord.db'}")
    with writer.begin() as db:
        migrate(db)
        posts = Transaction(db).posts
        posts.want(wish("status", thread, Card(title="before")), start)
        (post,) = posts.claim(_lease(start), Limits(), 1)
        posts.mark_sent(post, "message", start + timedelta(minutes=5), Limits())  # and then the clock is set back
        posts.want(wish("status", thread, Card(title="after")), start)
        looks = [posts.claim(_lease(start + timedelta(seconds=second)), Limits(), 1) for second in range(1, 10)]
    writer.dispose()
    assert any(looks)


def _lease(at: datetime) -> Lease:
    return Lease(owner="a sender", at=at, until=at + timedelta(seconds=45))


class BusyThenFound:
    """Implements bot.messages.Platform: shows the message already, and is too busy to say so the first time."""

    name = "flaky"
    bounds = FlakyPlatform.bounds
    settle = None

    def __init__(self) -> None:
        self.looks = 0
        self.posts = 0

    async def post(self, thread: Thread, key: str, card: Card) -> str:
        self.posts += 1
        return "doubled"

    async def edit(self, thread: Thread, message: str, card: Card) -> None:
        return

    async def find(self, thread: Thread, key: str) -> str | None:
        self.looks += 1
        if self.looks == 1:
            raise Later(0.0)
        return "there already"

    async def begin(self, channel: str, key: str, words: str) -> Thread:
        return Thread(f"{channel}:{key}")

    async def permalink(self, thread: Thread, message: str) -> str:
        return ""

    async def whisper(self, thread: Thread, to: Account, key: str, card: Card) -> None:
        return

    async def mark_seen(self, thread: Thread, message: str) -> None:
        return


async def test_a_look_that_has_to_be_put_off_is_still_made_before_the_post(tmp_path: Path) -> None:
    clock, platform = ScaledClock(1, time.time()), BusyThenFound()
    office = office_in(tmp_path, clock, Limits(), ChangeNotifier())
    long_ago = _lease(clock.now() - timedelta(minutes=2))
    await office.database.write(lambda b: b.posts.want(wish("post", Thread("flaky:room:0"), Card(title="post")), NOW))
    await office.database.write(lambda b: b.posts.claim(long_ago, Limits(), 1))  # and then its sender was gone
    outbox = Outbox(office, {"flaky": platform}, Leases(clock))
    await outbox.send_due()
    await outbox.send_due()
    office.database.close()
    assert (platform.looks, platform.posts) == (2, 0)
