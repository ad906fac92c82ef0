"""The bot is killed at steps of each workflow that comes along: nothing is lost or doubled.

`python -m tests.bench.kill_steps` does it at every step; in one process tests/flows/test_kill_each_step.py does.
"""

import pytest

from agents.catalog.library import load_catalog
from tests.faults.killing import side_by_side
from tests.faults.steps_trial import Trial, told, walk_it

EVERY = 6  # at the jobs whose number allows it: another sample for each database


@pytest.mark.timeout(600)
def test_whichever_step_of_a_workflow_it_dies_at_the_walk_ends_in_one_merge() -> None:
    others = sorted(load_catalog().workflows.keys() - {"default"})  # that one is killed in test_kill_work.py
    plans = [Trial(workflow=name, after=bool(number % 2), every=EVERY) for number, name in enumerate(others)]
    done = list(side_by_side(walk_it, plans, at_once=2))
    wrong = [trial for trial in done if trial.wrongs]
    assert not wrong, "\n".join(map(told, wrong))
    assert {trial.workflow for trial in done} == set(others) and sum(trial.died for trial in done) >= len(others)
