"""The bot is killed while supervisors look, ask and are heeded: nothing of it is lost, and nothing happens twice."""

import random

import pytest

from tests.faults.killing import side_by_side
from tests.faults.proposal_trial import told
from tests.faults.supervision_trial import supervise_it
from tests.store.room import FULL

TRIALS, AT_LEAST = (40, 30) if FULL else (4, 2)  # trials, and how many of them must really die


@pytest.mark.timeout(600)
def test_whenever_the_bot_is_killed_supervisors_are_called_and_heeded_once() -> None:
    calm = supervise_it(0)
    assert not calm.wrongs, told(calm)
    seed = random.SystemRandom().randrange(10**6)
    chance = random.Random(seed)
    at = [1 + int((part + chance.random()) * calm.steps / TRIALS) for part in range(TRIALS)]
    done = list(side_by_side(supervise_it, at, at_once=2))
    wrong = [trial for trial in done if trial.wrongs]
    assert not wrong, f"seed {seed}, {calm.steps} steps\n" + "\n".join(map(told, wrong))
    assert sum(trial.died for trial in done) >= AT_LEAST, "most trials should reach the step they die at"
