"""P4 in the whole program: killed at any step, what is pushed, opened, said and merged on GitHub happened once."""

import os
import random

import pytest

from tests.faults.github_trial import Trial, deliver_it
from tests.faults.killing import side_by_side

FULL = os.environ.get("OVERLORD_HYPOTHESIS") == "full"
TRIALS = 40 if FULL else 2
KILLS_EACH, SHORTEST, LONGEST = 9, 60, 900


def trials(count: int, seed: int) -> list[Trial]:
    chance = random.Random(seed)
    kills = [[chance.randint(SHORTEST, LONGEST) for _ in range(KILLS_EACH)] for _ in range(count)]
    return [Trial(kills=each, early=bool(at % 2)) for at, each in enumerate(kills)]


@pytest.mark.timeout(3600 if FULL else 600)
def test_whenever_it_is_killed_everything_on_github_happened_once() -> None:
    seed = random.SystemRandom().randrange(10**6)
    done = list(side_by_side(deliver_it, trials(TRIALS, seed), at_once=2))
    wrong = [f"killed after {trial.kills} steps\n  " + "\n  ".join(trial.wrongs) for trial in done if trial.wrongs]
    assert not wrong, f"seed {seed}\n" + "\n".join(wrong)
    assert sum(trial.died for trial in done) >= TRIALS * 3
