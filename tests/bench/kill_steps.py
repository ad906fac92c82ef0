"""Kills the bot at every step of a workflow's walk: right before each job is recorded, right after, and at random ones
while real minions work.

python -m tests.bench.kill_steps mvp                two walks, then twenty kills beside real work: some minutes
python -m tests.bench.kill_steps open_source --work 0
"""

import argparse
import random
import sys
from collections.abc import Sequence

from agents.catalog.library import load_catalog
from agents.domain.workflow.steps import STEP_TYPES
from tests.faults import steps_trial, work_trials
from tests.faults.killing import side_by_side
from tests.faults.steps_trial import Trial, walk_it
from tests.faults.work_trial import work_it


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("workflow", choices=sorted(load_catalog().workflows))
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1, 10**6))
    parser.add_argument("--work", type=int, default=3, help="walks of real minions, with seven kills each")
    parser.add_argument("--at-once", type=int, default=2, help="trials side by side")
    asked = parser.parse_args()
    print(f"seed {asked.seed}")
    walks = [Trial(workflow=asked.workflow, after=after) for after in (False, True)]
    done = list(side_by_side(walk_it, walks, asked.at_once))
    wrong = [steps_trial.told(trial) for trial in done if trial.wrongs] + _unmet(asked.workflow, done)
    died = sum(trial.died for trial in done)
    trials = work_trials.trials(asked.work, asked.seed, asked.workflow)
    for trial in side_by_side(work_it, trials, asked.at_once):
        died += trial.died
        wrong += [work_trials.told(trial)] if trial.wrongs else []
    for each in wrong:
        print(f"WRONG: {each}", flush=True)
    print(f"{asked.workflow}: walks {len(done)} + {len(trials)} | bots killed {died} | wrong {len(wrong)}")
    return 1 if wrong else 0


def _unmet(workflow: str, done: Sequence[Trial]) -> list[str]:
    """Steps that look at the work and at which nothing died: then they were not tried."""
    steps = [step.name for step in load_catalog().workflows[workflow].steps if STEP_TYPES[step.type].looks]
    return [f"nothing died at {step}" for step in steps for trial in done if f"run_step {step}" not in trial.at]


if __name__ == "__main__":
    sys.exit(main())
