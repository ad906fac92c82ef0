"""Bot, minions and their children are killed while real work is done: each piece happens once, nothing is left."""

import random

import pytest

from tests.faults.killing import side_by_side
from tests.faults.work_trial import Trial, work_it
from tests.faults.work_trials import told, trials

TRIALS, AT_LEAST = 1, 4  # beside the one with words; `python -m tests.bench.kill_work` does it at length
WOUNDS = 10


@pytest.mark.timeout(900)
def test_whoever_is_killed_work_is_done_once_and_nothing_is_left_behind() -> None:
    seed = random.SystemRandom().randrange(10**6)
    spoken = Trial(kills=[], wounds=WOUNDS, manners=True)
    done = list(side_by_side(work_it, [spoken, *trials(TRIALS, seed)], at_once=2))
    wrong = [trial for trial in done if trial.wrongs]
    assert not wrong, f"seed {seed}\n" + "\n".join(map(told, wrong))
    [talked] = [trial for trial in done if trial.manners]
    assert talked.died == WOUNDS, "ten kills, no three of one job, and nobody had to help"
    assert sum(trial.died for trial in done if not trial.manners) >= AT_LEAST
