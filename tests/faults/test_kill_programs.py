"""Bot and gateway, a command-line agent, or its sandbox are killed while a minion works on it: a sample.

`make bench ARGS="--only kill_programs"` does it a hundred times for each, with the real ones where they are here.
"""

import random

import pytest

from agents.domain.workflow.roles import EngineName
from tests.faults.killing import side_by_side
from tests.faults.program_trial import Trial, told, trials, work_through

COUNT = 3


@pytest.mark.timeout(300)
def test_whoever_is_killed_the_work_is_handed_in_once_and_paid_once() -> None:
    calm = work_through(Trial(EngineName.CODEX))
    assert not calm.wrongs, told(calm)
    seed = random.SystemRandom().randrange(10**6)
    done = list(side_by_side(work_through, trials(EngineName.CODEX, COUNT, calm.steps, seed), at_once=2))
    wrong = [told(trial) for trial in done if trial.wrongs]
    assert not wrong, f"seed {seed}, {calm.steps} steps\n" + "\n".join(wrong)
    assert sum(trial.died + trial.stabbed for trial in done) >= 2, "most trials should reach what kills them"


@pytest.mark.timeout(300)
@pytest.mark.parametrize("stab", ["program", "sandbox"])
def test_what_is_killed_while_it_starts_is_started_again(stab: str) -> None:
    trial = work_through(Trial(EngineName.CODEX, stab=stab))
    assert trial.stabbed and not trial.wrongs, told(trial)
