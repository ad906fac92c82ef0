"""Helpers that the tests of kill work share with others."""

import random

from tests.faults.shown_trial import MOMENTS
from tests.faults.work_trial import Trial

KILLS_EACH, LONGEST = 7, 1500


def trials(count: int, seed: int, workflow: str = "default") -> list[Trial]:
    chance = random.Random(seed)
    return [
        Trial(
            kills=[chance.randint(100, LONGEST) for _ in range(KILLS_EACH)],
            stabs=chance.randint(0, 2),
            workflow=workflow,
            turns_at="" if number % 2 else chance.choice(MOMENTS),
        )
        for number in range(count)
    ]


def told(trial: Trial) -> str:
    turned = f", turned away at {trial.turns_at}" if trial.turns_at else ""
    return "\n  ".join([f"killed after {trial.kills} steps, {trial.stabbed} sandboxes too{turned}", *trial.wrongs])
