"""The bot is killed while a question is answered, turned into a task, and planned by models that look at the code.

One answer, one plan, and no turn that was finished is paid a second time.
"""

import random

import pytest

from tests.faults.killing import side_by_side
from tests.faults.question_trial import ask_it, told
from tests.store.room import FULL

TRIALS, AT_LEAST = (40, 30) if FULL else (6, 3)


@pytest.mark.timeout(600)
def test_whenever_the_bot_is_killed_a_question_has_one_answer_and_no_look_is_paid_twice() -> None:
    calm = ask_it(0)
    assert not calm.wrongs, told(calm)
    assert calm.repeated == 0 and calm.steps > 100
    seed = random.SystemRandom().randrange(10**6)
    chance = random.Random(seed)
    at = [1 + int((part + chance.random()) * calm.steps * 0.9 / TRIALS) for part in range(TRIALS)]
    done = list(side_by_side(ask_it, at, at_once=2))
    wrong = [trial for trial in done if trial.wrongs]
    assert not wrong, f"seed {seed}, {calm.steps} steps\n" + "\n".join(map(told, wrong))
    assert sum(trial.died for trial in done) >= AT_LEAST, "most trials should reach the step they die at"
