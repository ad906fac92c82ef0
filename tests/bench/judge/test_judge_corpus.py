"""The corpus that the judge is tried on: what it is made of is what it says, and is made again from its seed."""

import random

import pytest

from tests.bench.judge.classes import CLASSES
from tests.bench.judge.families import FAMILIES
from tests.bench.judge.mutants import gives, mutants, wrong
from tests.bench.judge.programs import make_program, make_unit
from tests.bench.judge.tally import Trial, count, page, wilson


@pytest.mark.parametrize("name", CLASSES)
def test_a_piece_changes_something_and_is_made_again_from_its_seed(name: str) -> None:
    for seed in range(3):
        piece, again = (CLASSES[name](random.Random(f"{name} {seed}")) for _ in range(2))
        assert piece == again
        assert any(piece.base.get(path) != text for path, text in piece.work.items())


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_faults_are_seen_by_the_tests_of_the_base(family: object) -> None:
    unit = make_unit(random.Random(1), next(each for each in FAMILIES if each is family))
    assert all(gives(unit.family.source, unit.name, case) for case in unit.known), "as it is, it is right"
    faulty = wrong(unit, random.Random(2))
    assert faulty in set(mutants(unit.family.source))
    assert not all(gives(faulty, unit.name, case) for case in unit.known)


def test_a_program_has_tests_of_three_kinds() -> None:
    program = make_program(random.Random(7))
    files = program.files()
    unit = program.units[0]
    assert "parametrize" in files[program.test_file(unit)] and "cases(" in files[program.test_file(unit)]
    assert files[program.data_file(unit)].startswith("[")


@pytest.mark.parametrize(
    ("hits", "tried", "low", "high"),
    [(0, 40, 0.0, 0.0876), (1, 40, 0.0044, 0.1288), (40, 40, 0.9124, 1.0), (0, 0, 0, 1)],
)
def test_intervals_are_wilsons(hits: int, tried: int, low: float, high: float) -> None:
    assert wilson(hits, tried) == pytest.approx((low, high), abs=1e-3)


def test_wrong_verdicts_are_counted_and_told() -> None:
    trials = [
        Trial(kind="mutated", seed=1, good=False, accepted=False),
        Trial(kind="mutated", seed=2, good=False, accepted=True, note="how"),
        Trial(kind="correct", seed=1, good=True, accepted=False, why="lint: 1 new"),
    ]
    assert (count(trials).tried, count(trials).wrong) == (3, 2)
    told = page(trials, "abc")
    assert "mutated, seed 2 (how): accepted" in told and "correct, seed 1: refused: lint: 1 new" in told
    assert "| mutated | refused | 2 | 1 |" in told
