"""Kills the bot again and again in whole conversations on Slack (both ways) and Discord, whose fakes fail meanwhile.

python -m tests.bench.kill_chats                                  sixty trials a surface, ten minutes on two cores
python -m tests.bench.kill_chats --only discord --trials 200
python -m tests.bench.kill_chats --again slack:8241:171,250       one trial: its surface, its seed, its kills
"""

import argparse
import random
import sys
import time

from tests.faults.chat_people import SURFACES
from tests.faults.chat_trial import TO_THE_END, Counted, Trial, plans, run_trial, told
from tests.faults.killing import side_by_side


def main() -> int:
    asked = _arguments()
    if asked.again:
        surface, seed, kills = asked.again.split(":")
        steps = tuple(int(step) for step in kills.split(",") if step)
        return _run([Trial(surface=surface, seed=int(seed), kills=steps)] * asked.times, asked.at_once)
    print(f"seed {asked.seed}, {asked.at_once} at once")
    wrong = 0
    for surface in asked.only or SURFACES:
        calm = run_trial(Trial(surface=surface))
        print(f"{surface}: {calm.steps} steps in a calm run, {asked.trials} trials")
        wrong += _run(plans(calm, asked.trials, asked.seed, TO_THE_END), asked.at_once)
    return 1 if wrong else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1, 10**6))
    parser.add_argument("--only", action="append", choices=sorted(SURFACES), help="this surface; may be given again")
    parser.add_argument("--trials", type=int, default=60, help="trials a surface")
    parser.add_argument("--again", default="", help="only this trial: surface:seed:step,step")
    parser.add_argument("--times", type=int, default=5, help="how often to do the trial of --again")
    parser.add_argument("--at-once", type=int, default=2, help="trials side by side")
    return parser.parse_args()


def _run(trials: list[Trial], at_once: int) -> int:
    started, done = time.monotonic(), list[Counted]()
    for counted in side_by_side(run_trial, trials, at_once):
        done.append(counted)
        if counted.wrongs:
            print(f"WRONG: {told(counted)}", flush=True)
        if len(done) % 10 == 0:
            print(f"  {len(done)} of {len(trials)} trials, {time.monotonic() - started:.0f} s", flush=True)
    wrong = sum(bool(counted.wrongs) for counted in done)
    sums = {name: sum(getattr(counted, name) for counted in done) for name in ("died", "posts", "faults")}
    print(
        " | ".join([f"trials {len(done)}", *(f"{name} {number:,}" for name, number in sums.items()), f"wrong {wrong}"])
    )
    return wrong


if __name__ == "__main__":
    sys.exit(main())
