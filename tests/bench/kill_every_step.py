"""Kills the bot at every step of a whole conversation, and its outbox again and again beside a provider that fails.

python -m tests.bench.kill_every_step               all three parts, about ten minutes on two cores
python -m tests.bench.kill_every_step --at 171,250  one trial of the console, ten times
python -m tests.bench.kill_every_step --outbox 8241 one trial of the outbox, by its seed
"""

import argparse
import asyncio
import random
import sys
import tempfile
import time
from pathlib import Path

from bot.running.health import TimedLoop
from tests.faults.console_trial import Counted, converse
from tests.faults.killing import side_by_side
from tests.faults.outbox_trial import Errand, Sent, run_errand
from tests.faults.soak import soak

ERRANDS = 32  # of 300 posts each
STALL = 0.2  # seconds: P11


def main() -> int:
    asked = _arguments()
    if asked.at:
        return _console([tuple(map(int, asked.at.split(",")))] * asked.times, asked.at_once)
    if asked.outbox is not None:
        return _outbox([asked.outbox, asked.outbox + 1], asked.at_once)
    print(f"seed {asked.seed}, {asked.at_once} at once")
    calm = max(converse(()).steps for _ in range(3))
    chance = random.Random(asked.seed)
    plans = [_plan(step, calm, chance, asked.twice) for step in range(1, calm + 1, asked.every)]
    print(f"console: {calm} steps in a calm run, {len(plans)} trials")
    wrong = _console(plans, asked.at_once)
    wrong += _outbox([asked.seed + at for at in range(ERRANDS)], asked.at_once)
    return 1 if wrong + _soak() else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    parser.add_argument("--every", type=int, default=1, help="kill at every n-th step only")
    parser.add_argument("--twice", type=float, default=0.3, help="share of trials with a second kill after the restart")
    parser.add_argument("--at", default="", help="only this trial: die at step 171, and the next at 250: 171,250")
    parser.add_argument("--times", type=int, default=10, help="how often to do the trial of --at")
    parser.add_argument("--outbox", type=int, help="only the trial of the outbox with this seed")
    parser.add_argument("--at-once", type=int, default=2, help="trials side by side")
    return parser.parse_args()


def _plan(step: int, most: int, chance: random.Random, twice: float) -> tuple[int, ...]:
    return (step, chance.randint(1, most)) if chance.random() < twice else (step,)


def _console(plans: list[tuple[int, ...]], at_once: int) -> int:
    started, done = time.monotonic(), list[Counted]()
    for counted in side_by_side(converse, plans, at_once):
        done.append(counted)
        if counted.wrongs:
            print(f"WRONG when killed at {counted.kills}:", *counted.wrongs, sep="\n  ")
        if len(done) % 25 == 0:
            print(f"  {len(done)} of {len(plans)} trials, {time.monotonic() - started:.0f} s", flush=True)
    wrong = sum(bool(counted.wrongs) for counted in done)
    sums = [sum(getattr(counted, name) for counted in done) for name in ("died", "posts", "ticks")]
    _table("console", trials=len(done), kills=sums[0], posts=sums[1], looks=sums[2], wrong=wrong)
    return wrong


def _outbox(seeds: list[int], at_once: int) -> int:
    """Every other errand has two senders at once."""
    errands = [Errand(seed=seed, senders=1 + at % 2) for at, seed in enumerate(seeds)]
    started, done = time.monotonic(), list[Sent]()
    for sent in side_by_side(run_errand, errands, at_once):
        done.append(sent)
        if not sent.is_right:
            print(f"WRONG: {sent}")
        if len(done) % 4 == 0:
            print(f"  {len(done)} of {len(errands)} errands, {time.monotonic() - started:.0f} s", flush=True)
    names = ("posts", "died", "lost", "doubled", "out_of_order", "stale")
    _table("outbox", errands=len(done), **{name: sum(getattr(sent, name) for sent in done) for name in names})
    return sum(not sent.is_right for sent in done)


def _soak() -> int:
    with tempfile.TemporaryDirectory() as home, asyncio.Runner(loop_factory=TimedLoop) as runner:
        soaked = runner.run(soak(Path(home)))
    worst, told = round(soaked.worst * 1000), round(soaked.told * 1000)
    _table("stalls", tasks=soaked.tasks, pages=soaked.pages, worst_ms=worst, told_ms=told, wall_ms=round(STALL * 1000))
    return int(max(soaked.worst, soaked.told) > STALL)


def _table(part: str, **numbers: int) -> None:
    print(f"{part}: " + " | ".join(f"{name.replace('_', ' ')} {number:,}" for name, number in numbers.items()))


if __name__ == "__main__":
    sys.exit(main())
