"""The ready set of a graph of 10,000 subtasks, driven to its end, beside plain counters in lists."""

import random
import time
from collections.abc import Callable, Mapping, Sequence

from agents.domain.planning.decomposition import waves
from tests.bench.rows import Row, Say, compared, in_turn

SUBTASKS, NEEDS, NEAR, ROUNDS = 10_000, 3, 200, 15

Needs = Mapping[int, Sequence[int]]


def run(say: Say) -> list[Row]:
    chance = random.Random(4)
    needs = {
        n: tuple({chance.randrange(max(0, n - NEAR), n) for _ in range(NEEDS)}) if n else () for n in range(SUBTASKS)
    }
    sides: dict[str, Callable[[Needs], int]] = {"ours": _ready_set, "theirs": _counters}
    took: dict[str, list[float]] = {name: [] for name in sides}
    for number in range(ROUNDS):
        for name in in_turn(number, *sides):
            began = time.perf_counter()
            assert sides[name](needs) == SUBTASKS
            took[name].append(time.perf_counter() - began)
    say(f"{SUBTASKS:,} subtasks, {sum(map(len, needs.values())):,} edges")
    return [compared("ready_set", took["ours"], took["theirs"], beside="plain counters in lists", most=3.0)]


def _ready_set(needs: Needs) -> int:
    return sum(map(len, waves(needs)))


def _counters(needs: Needs) -> int:
    left, after = [0] * len(needs), [list[int]() for _ in needs]
    for node, before in needs.items():
        left[node] = len(before)
        for need in before:
            after[need].append(node)
    wave, done = [node for node in needs if not left[node]], 0
    while wave:
        coming = []
        for node in wave:
            done += 1
            for later in after[node]:
                left[later] -= 1
                if not left[later]:
                    coming.append(later)
        wave = coming
    return done
