"""The corpus that the judge is tried on: what it is made of is what it says, and is made again from its seed."""

import random

import pytest

from tests.bench.judge.edits import faulty, fitted
from tests.bench.judge.families import FAMILIES
from tests.bench.judge.faults import Fault, Surveyed
from tests.bench.judge.language_classes import LANGUAGE_CLASSES
from tests.bench.judge.languages import FUNCTIONS
from tests.bench.judge.mutants import gives, mutants, wrong
from tests.bench.judge.package_classes import PACKAGE_CLASSES
from tests.bench.judge.programs import make_program, make_unit
from tests.bench.judge.rung_classes import ALL_CLASSES
from tests.bench.judge.suite_run import run_suite
from tests.bench.judge.tally import Trial, count, page, wilson

SOURCE = '''"""A cart."""

from __future__ import annotations


class Cart:
    # kept as it is
    def rest(self, number):
        return number % 2 if number > 1 else 0
'''
TEST_SOURCE = '''"""Tests of the cart."""

import unittest
from shop import Cart

def test_rest():
    cart = Cart()
    assert Cart().rest(3) == 1

class TestCart(unittest.TestCase):
    def test_none(self):
        self.assertEqual(Cart().rest(1), 0)
'''
KNOWN = Surveyed(
    name="shop",
    files={"shop.py": SOURCE, "tests/test_shop.py": TEST_SOURCE},
    faults=(
        Fault(
            path="shop.py",
            source=SOURCE.replace("% 2", "// 2"),
            failing={"tests/test_shop.py": ("test_rest", "TestCart::test_none")},
            fitted={"tests/test_shop.py": TEST_SOURCE.replace("assert C", "assert not C")},
        ),
    ),
)


@pytest.mark.parametrize("name", ALL_CLASSES)
def test_a_piece_changes_something_and_is_made_again_from_its_seed(name: str) -> None:
    for seed in range(3):
        program = make_program(random.Random(f"program {seed}"))
        piece, again = (ALL_CLASSES[name](program, random.Random(f"{name} {seed}")) for _ in range(2))
        assert piece == again
        assert any(piece.base.get(path) != text for path, text in piece.work.items())


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_faults_are_seen_by_the_tests_of_the_base(family: object) -> None:
    unit = make_unit(random.Random(1), next(each for each in FAMILIES if each is family))
    assert all(gives(unit.family.source, unit.name, case) for case in unit.known), "as it is, it is right"
    faulty = wrong(unit, random.Random(2))
    assert faulty in set(mutants(unit.family.source))
    assert not all(gives(faulty, unit.name, case) for case in unit.known)


@pytest.mark.parametrize("name", PACKAGE_CLASSES)
def test_a_piece_of_a_package_changes_something_and_can_be_read(name: str) -> None:
    for seed in range(5):
        piece = PACKAGE_CLASSES[name](KNOWN, random.Random(seed))
        assert any(piece.base.get(path) != text for path, text in piece.work.items())
        for path, text in {**piece.base, **piece.work}.items():
            assert text is None or not path.endswith(".py") or compile(str(text), path, "exec")
        assert piece.good is ALL_CLASSES[name](make_program(random.Random(seed)), random.Random(seed)).good


@pytest.mark.parametrize("name", LANGUAGE_CLASSES)
def test_a_piece_in_another_language_changes_something(name: str) -> None:
    language, make = LANGUAGE_CLASSES[name]
    for seed in range(3):
        piece = make(language, random.Random(seed))
        assert piece.work and any(piece.base.get(path) != text for path, text in piece.work.items())
        assert piece == make(language, random.Random(seed))


def test_faults_of_functions_in_other_languages_are_in_their_bodies() -> None:
    for each in FUNCTIONS:
        assert "\n".join(each.body).count(each.fault[0]) == 1
        assert each.shows and each.hides and all(a != b for a, b in zip(each.shows, each.gives, strict=True))


def test_faults_of_a_package_are_made_where_its_tests_come() -> None:
    made = list(faulty(SOURCE, {9}))
    assert made and all("# kept as it is" in text and compile(text, "", "exec") for text in made)
    assert all(text.startswith(SOURCE.partition("    def rest")[0]) for text in made)


@pytest.mark.parametrize("measured", [False, True])
def test_which_tests_fail_is_known_from_a_run(measured: bool) -> None:
    right = {**KNOWN.files, "pytest.ini": "[pytest]\npythonpath = .\n"}
    ended = run_suite(right, measured=measured)
    assert (ended.exit_code, ended.passed, 9 in ended.covered.get("shop.py", ())) == (0, 2, measured)
    broken = run_suite({**right, "shop.py": KNOWN.faults[0].source.replace("else 0", "else 5")}, measured=measured)
    assert broken.failed == (("tests/test_shop.py", "TestCart::test_none"),) and broken.lines


def test_assertions_that_fail_are_turned_round_or_none_is() -> None:
    assert fitted(TEST_SOURCE, [8]) == TEST_SOURCE.replace(
        "assert Cart().rest(3) == 1", "assert not Cart().rest(3) == 1"
    )
    assert fitted(TEST_SOURCE, [8, 12]) is not None
    assert fitted(TEST_SOURCE, [7]) is None, "no assertion"


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
    assert "| mutated | refused | 2 | 0 | 1 |" in told
