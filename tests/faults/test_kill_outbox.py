"""Each post appears once and in order, though its sender is killed and its provider accepts and then fails (P3)."""

import random
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from agents.domain.ids import Thread
from agents.domain.limits import Limits
from bot.messages import Card
from bot.readers import wish
from store.books import Books
from store.engines import make_engines
from store.leases import Lease
from store.migrations import migrate
from tests.faults.killing import side_by_side
from tests.faults.outbox_trial import Errand, run_errand


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
    start, thread = datetime(2026, 3, 2, 9, 30, tzinfo=UTC), Thread("flaky:room:0")
    writer, _ = make_engines(f"sqlite:///{tmp_path / 'overlord.db'}")
    with writer.begin() as db:
        migrate(db)
        posts = Books(db).posts
        posts.want(wish("status", thread, Card(title="before")), start)
        (post,) = posts.claim(_lease(start), Limits(), 1)
        posts.sent(post, "message", start + timedelta(minutes=5), Limits())  # and then the clock is set back
        posts.want(wish("status", thread, Card(title="after")), start)
        looks = [posts.claim(_lease(start + timedelta(seconds=second)), Limits(), 1) for second in range(1, 10)]
    writer.dispose()
    assert any(looks)


def _lease(at: datetime) -> Lease:
    return Lease(owner="a sender", at=at, until=at + timedelta(seconds=45))
