"""Kills the bot while many people talk to it at once on Slack (both ways) and Discord, whose fakes fail meanwhile (P3).

python -m tests.bench.kill_throng                          until 9,500 posts are counted; twelve minutes at most
python -m tests.bench.kill_throng --again discord:8241     one trial: its surface and its seed
"""

import argparse
import random
import sys
import time

from tests.faults.killing import side_by_side
from tests.faults.throng_trial import Counted, Throng, run_throng

POSTS, MINUTES = 9_500, 12.0
SURFACES = ("slack", "discord", "slack-http", "discord")  # in turn
PEOPLE, REMARKS, KILLS = 50, 30, 20


def main() -> int:
    asked = _arguments()
    if asked.again:
        surface, seed = asked.again.split(":")
        return _run([_throng(surface, int(seed))], 1, 1, MINUTES)
    print(f"seed {asked.seed}, {asked.at_once} at once")
    each = PEOPLE * (REMARKS + 2)
    throngs = [_throng(SURFACES[at % len(SURFACES)], asked.seed + at) for at in range(-(-asked.posts // each))]
    return _run(throngs, asked.at_once, asked.posts, asked.minutes)


def _throng(surface: str, seed: int) -> Throng:
    return Throng(surface=surface, seed=seed, people=PEOPLE, remarks=REMARKS, kills=KILLS)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1, 10**6))
    parser.add_argument("--posts", type=int, default=POSTS, help="how many must be counted")
    parser.add_argument("--minutes", type=float, default=MINUTES, help="no longer than this")
    parser.add_argument("--again", default="", help="only this trial: surface:seed")
    parser.add_argument("--at-once", type=int, default=2, help="trials side by side")
    return parser.parse_args()


def _run(throngs: list[Throng], at_once: int, posts: int, minutes: float) -> int:
    late, done = time.monotonic() + minutes * 60, list[Counted]()
    for counted in side_by_side(run_throng, throngs, at_once):
        done.append(counted)
        print(f"  {_told(counted)}", flush=True)
        if time.monotonic() > late:
            break
    sums = {name: sum(getattr(counted, name) for counted in done) for name in ("posts", "died", "faults")}
    wrong, short = sum(bool(counted.wrongs) for counted in done), sums["posts"] < posts
    parts = [f"trials {len(done)}", *(f"{name} {number:,}" for name, number in sums.items()), f"wrong {wrong}"]
    print(" | ".join([*parts, *([f"fewer than {posts:,} posts in {minutes:g} minutes"] if short else [])]))
    return 1 if wrong or short else 0


def _told(counted: Counted) -> str:
    throng = counted.throng
    said = (
        f"{throng.surface}: {counted.posts} posts, {counted.died} kills, {counted.faults} faults, {counted.took:.0f} s"
    )
    if not counted.wrongs:
        return said
    again = f"WRONG (again: python -m tests.bench.kill_throng --again {throng.surface}:{throng.seed})"
    return "\n    ".join([f"{said} {again}", *counted.wrongs])


if __name__ == "__main__":
    sys.exit(main())
