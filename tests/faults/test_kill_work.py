"""Bot, minions and their children are killed while real work is done: each piece happens once, nothing is left."""

import random

import pytest

from tests.faults.killing import side_by_side
from tests.faults.shown_trial import MOMENTS
from tests.faults.work_trial import Trial, work_it

KILLS_EACH, LONGEST = 7, 1500
TRIALS, AT_LEAST = 1, 4  # beside the one with words; `python -m tests.bench.kill_work` does it at length
WOUNDS = 10


def trials(count: int, seed: int) -> list[Trial]:
    chance = random.Random(seed)
    return [
        Trial(
            kills=[chance.randint(100, LONGEST) for _ in range(KILLS_EACH)],
            stabs=chance.randint(0, 2),
            turns_at="" if number % 2 else chance.choice(MOMENTS),
        )
        for number in range(count)
    ]


def told(trial: Trial) -> str:
    turned = f", turned away at {trial.turns_at}" if trial.turns_at else ""
    return "\n  ".join([f"killed after {trial.kills} steps, {trial.stabbed} sandboxes too{turned}", *trial.wrongs])


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
