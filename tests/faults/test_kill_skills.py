"""The bot is killed at steps spread over a skill's life: it is drafted, decided on and merged once."""

import random

import pytest

from tests.faults.killing import side_by_side
from tests.faults.skill_trial import draft_it, told
from tests.store.room import FULL

TRIALS, AT_LEAST = (40, 30) if FULL else (6, 3)  # trials, and how many of them must really die


@pytest.mark.timeout(600)
def test_whenever_the_bot_is_killed_a_skill_is_drafted_decided_on_and_merged_once() -> None:
    calm = draft_it(0)
    assert not calm.wrongs, told(calm)
    seed = random.SystemRandom().randrange(10**6)
    chance = random.Random(seed)
    at = [1 + int((part + chance.random()) * calm.steps / TRIALS) for part in range(TRIALS)]
    done = list(side_by_side(draft_it, at, at_once=2))
    wrong = [trial for trial in done if trial.wrongs]
    assert not wrong, f"seed {seed}, {calm.steps} steps\n" + "\n".join(map(told, wrong))
    assert sum(trial.died for trial in done) >= AT_LEAST, "most trials should reach the step they die at"
