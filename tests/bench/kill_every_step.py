"""Kills the bot at every step of a whole conversation on the console: python -m tests.bench.kill_every_step."""

import argparse
import random
import sys
import time

from tests.faults.console_trial import Counted, converse
from tests.faults.killing import side_by_side


def main() -> int:
    asked = _arguments()
    calm = [converse(()) for _ in range(3)]
    most = max(counted.steps for counted in calm)
    chance = random.Random(asked.seed)
    plans = [_plan(step, most, chance, asked.twice) for step in range(1, most + 1, asked.every)]
    if asked.at:
        plans = [tuple(map(int, asked.at.split(",")))] * asked.times
    print(f"{most} steps in a calm run; {len(plans)} trials, seed {asked.seed}, {asked.at_once} at once")
    started, done = time.monotonic(), list(calm)
    for counted in side_by_side(converse, plans, asked.at_once):
        done.append(counted)
        if counted.wrongs:
            print(f"WRONG when killed at {counted.kills}:", *counted.wrongs, sep="\n  ")
        if len(done) % 25 == 0:
            print(f"  {len(done) - 3} of {len(plans)} trials, {time.monotonic() - started:.0f} s", flush=True)
    _tell(done, time.monotonic() - started)
    return 1 if any(counted.wrongs for counted in done) else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    parser.add_argument("--every", type=int, default=1, help="kill at every n-th step only")
    parser.add_argument("--twice", type=float, default=0.3, help="share of trials with a second kill after the restart")
    parser.add_argument("--at", default="", help="only this trial: die at step 171, and the next at 250: 171,250")
    parser.add_argument("--times", type=int, default=10, help="how often to do the trial of --at")
    parser.add_argument("--at-once", type=int, default=2, help="trials side by side")
    return parser.parse_args()


def _plan(step: int, most: int, chance: random.Random, twice: float) -> tuple[int, ...]:
    return (step, chance.randint(1, most)) if chance.random() < twice else (step,)


def _tell(done: list[Counted], took: float) -> None:
    wrong = sum(bool(counted.wrongs) for counted in done)
    print("\ntrials  kills  posts  looks  wrong  seconds")
    print(
        f"{len(done):6} {sum(c.died for c in done):6} {sum(c.posts for c in done):6} {sum(c.ticks for c in done):6} "
        f"{wrong:6} {took:8.0f}"
    )


if __name__ == "__main__":
    sys.exit(main())
