"""What was acknowledged is never lost and never counts twice, over real HTTP and real kills (P1, P2)."""

import random
from pathlib import Path

import pytest

from tests.fakes.ports import free_port
from tests.faults.console_trial import furnished, the_bot
from tests.faults.deliveries_trial import Rush, lost, rush
from tests.faults.outside import Glimpse, Outside


def wrong_threads(glimpse: Glimpse, threads: set[str]) -> list[str]:
    """A thread holds what the person wrote, one status card and one question."""
    found = {thread: [s.key.partition(":")[0] for s in glimpse.thread(thread)] for thread in sorted(threads)}
    return [f"{thread} holds {kinds}" for thread, kinds in found.items() if kinds != ["", "status", "decision"]]


def check(home: Path, bots: int, plan: Rush) -> None:
    mains = [the_bot(home, free_port()) for _ in range(bots)]
    rushed = rush(home, mains, plan, lambda glimpse: glimpse.is_idle)
    threads = {thread for _, thread in rushed.acknowledged}
    assert len(threads) == plan.messages, f"{plan}"
    assert not lost(home, rushed), f"{plan}"
    with Outside(home / "overlord.db").look() as glimpse:
        assert glimpse.count("snapshots") == plan.messages, f"tasks are doubled or missing: {plan}"
        assert not wrong_threads(glimpse, threads), f"{plan}"
        assert not glimpse.wrongs() + rushed.stalled, f"{plan}"


@pytest.mark.timeout(240)
def test_no_acknowledged_message_is_lost_and_none_makes_two_tasks_across_fifteen_kills(tmp_path: Path) -> None:
    check(furnished(tmp_path), 1, Rush(seed=random.SystemRandom().randrange(10**6), messages=152))


@pytest.mark.timeout(240)
def test_two_bots_on_one_store_lose_and_double_nothing_while_they_are_killed_in_turn(tmp_path: Path) -> None:
    check(furnished(tmp_path), 2, Rush(seed=random.SystemRandom().randrange(10**6), messages=60, kills=8))
