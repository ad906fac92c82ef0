"""The bot is killed with SIGKILL at steps spread over a whole conversation on the console (P1, P3, P6, P24)."""

import random
from functools import cache

import pytest

from tests.faults.console_trial import Counted, converse
from tests.faults.killing import side_by_side

SPREAD, BY_CHANCE = 18, 6  # trials
AGAIN = 2  # times that the bot is killed after a restart
SAMPLED = 60  # steps, at least


@cache
def calm() -> Counted:
    """How it goes when nobody dies: the measure of all steps."""
    return converse(())


def plans(steps: int, seed: int) -> list[tuple[int, ...]]:
    chance = random.Random(seed)
    spread = [1 + round(at * (steps - 1) / (SPREAD - 1)) for at in range(SPREAD)]
    by_chance = [chance.randint(1, steps) for _ in range(BY_CHANCE)]
    return [(step, *(chance.randint(1, steps // 5) for _ in range(AGAIN))) for step in spread + by_chance]


def told(wrong: Counted) -> str:
    again = f"python -m tests.bench.kill_every_step --at {','.join(map(str, wrong.kills))}"
    return "\n  ".join([f"killed at {wrong.kills} (again: {again})", *wrong.wrongs])


def test_a_conversation_without_a_kill_comes_out_right() -> None:
    assert not calm().wrongs, told(calm())
    assert calm().steps > 100, "so few steps cannot be the whole conversation"


@pytest.mark.timeout(600)
def test_whenever_the_bot_is_killed_nothing_is_lost_doubled_or_out_of_order() -> None:
    """A sample; `python -m tests.bench.kill_every_step` dies at each of them."""
    steps, seed = calm().steps, random.SystemRandom().randrange(10**6)
    done = list(side_by_side(converse, plans(steps, seed), at_once=2))
    wrong = [counted for counted in done if counted.wrongs]
    assert not wrong, f"seed {seed}, {steps} steps\n" + "\n".join(map(told, wrong))
    assert sum(counted.died for counted in done) >= SAMPLED, "most trials should reach the steps they die at"
