"""Cycles are named, readiness is counted."""

import time
from itertools import pairwise

from hypothesis import given, strategies as st

from agents.domain.planning.graph import ReadySet, cycle_in, waves


def test_a_cycle_is_named_as_one_walks_it() -> None:
    assert cycle_in({1: [2], 2: [3], 3: [1], 4: []}) in ([1, 2, 3, 1], [2, 3, 1, 2], [3, 1, 2, 3])
    assert cycle_in({1: [1]}) == [1, 1]
    assert cycle_in({1: [2, 3], 2: [3], 3: []}) == []


@given(st.dictionaries(st.integers(0, 12), st.lists(st.integers(0, 12), max_size=5), max_size=13))
def test_a_named_cycle_is_one_and_without_one_everything_is_reached(needs: dict[int, list[int]]) -> None:
    needs = {node: [n for n in before if n in needs] for node, before in needs.items()}
    cycle = cycle_in(needs)
    if cycle:
        assert cycle[0] == cycle[-1]
        assert all(after in needs[before] for before, after in pairwise(cycle))
    else:
        done: set[int] = set()
        for wave in waves(needs):
            assert all(set(needs[node]) <= done for node in wave)
            done |= set(wave)
        assert done == set(needs)


def test_waves_stand_side_by_side() -> None:
    assert waves({1: [], 2: [1], 3: [1], 4: [2, 3]}) == [[1], [2, 3], [4]]


def test_ten_thousand_subtasks_are_driven_to_the_end() -> None:
    """Attack 70: no cleverness that grows with the square."""
    needs = {n: [n - 1, n - 2, n // 2] if n > 2 else [] for n in range(10_000)}
    ready, done, began = ReadySet(needs), 0, time.monotonic()
    while wave := ready.take():
        for node in wave:
            ready.finish(node)
        done += len(wave)
    assert done == 10_000
    assert time.monotonic() - began < 60
