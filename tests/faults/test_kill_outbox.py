"""Each post appears once and in order, though its sender is killed and its provider accepts and then fails (P3)."""

import random

import pytest

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
