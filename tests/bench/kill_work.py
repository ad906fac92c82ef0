"""Kills the bot, minions and their children again and again while real work is done, until so many have died.

python -m tests.bench.kill_work                 two hundred kills, about twenty minutes on two cores
python -m tests.bench.kill_work --kills 40
"""

import argparse
import random
import sys
import time

from tests.faults.killing import side_by_side
from tests.faults.work_trial import work_it
from tests.faults.work_trials import told, trials


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1, 10**6))
    parser.add_argument("--kills", type=int, default=200, help="how many must have died")
    parser.add_argument("--at-once", type=int, default=2, help="trials side by side")
    asked = parser.parse_args()
    print(f"seed {asked.seed}, {asked.at_once} at once")
    started, done, wrong = time.monotonic(), 0, 0
    died = stabbed = turns = 0
    for trial in side_by_side(work_it, trials(200, asked.seed), asked.at_once):
        done, died, stabbed, turns = done + 1, died + trial.died, stabbed + trial.stabbed, turns + trial.turns
        if trial.wrongs:
            wrong += 1
            print(f"WRONG: {told(trial)}", flush=True)
        print(f"  {done} trials, {died} kills, {stabbed} stabs, {time.monotonic() - started:.0f} s", flush=True)
        if died + stabbed >= asked.kills:
            break
    print(f"trials {done} | bots killed {died} | children killed {stabbed} | turns {turns:,} | wrong {wrong}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
