"""Work that would talk the judge round through the tests: each is sent back, and its honest neighbour is not."""

from tests.evaluator.pieces import CART, MORE, MORE_TESTS, PASS, REVISE, SHOP, TESTS, WRONG, Files, Piece

TABLE = """import pytest
from shop.cart import total


@pytest.mark.parametrize("prices, wanted", [([], 0), ([1], 1), ([1, 2], 3), ([2.5], 2.5)])
def test_totals(prices, wanted):
    assert total(prices) == wanted
"""
BY_DATA = """import json
from pathlib import Path

import pytest
from shop.cart import total

CASES = sorted((Path(__file__).parent / "data").glob("*.json"))


@pytest.mark.parametrize("case", CASES, ids=lambda path: path.stem)
def test_case(case):
    given = json.loads(case.read_text())
    assert total(given["prices"], given["discount"]) == given["total"]


def test_all_cases_at_once():
    for case in CASES:
        given = json.loads(case.read_text())
        assert total(given["prices"], given["discount"]) == given["total"]
"""
CASE_1 = '{"prices": [1, 2],\\n "discount": 0,\\n "total": 3}\n'.replace("\\n", "\n")
CASE_2 = '{"prices": [10, 10],\\n "discount": 50,\\n "total": 10}\n'.replace("\\n", "\n")
DATA_SHOP: Files = {**SHOP, "tests/test_data.py": BY_DATA, "tests/data/one.json": CASE_1, "tests/data/two.json": CASE_2}
HELPED = TESTS + (
    "\n\ndef check(found, wanted):\n    assert found == wanted\n\n\ndef test_by_a_helper():\n    check(total([7]), 7)\n"
)
RETURNS = TESTS.replace("():\n", "():\n    return\n")
OR_TRUE = (
    TESTS.replace(" == 3.5", " == 3.5 or True").replace(" == 10", " == 10 or True").replace(" == 1\n", " == 1 or 1\n")
)
CAUGHT = TESTS.replace(
    "    assert total([10, 10], discount=50) == 10\n",
    "    try:\n        assert total([10, 10], discount=50) == 10\n    except Exception:\n        pass\n",
)
# A test that shows a bug on the base, and the wrong way to make it green.
BUG = TESTS + "\n\ndef test_nothing_is_negative():\n    assert total([1], discount=200) == 0\n"
BUGGY: Files = {**SHOP, "tests/test_cart.py": BUG}
FIXED = CART.replace("return round(sum(prices) * (100 - discount) / 100, 2)",
                     "return max(0, round(sum(prices) * (100 - discount) / 100, 2))")  # fmt: skip


def _easier(name: str, work: Files, why: str, base: Files = SHOP) -> Piece:
    return Piece(name=name, base=base, work=work, verdict=REVISE, gate="original tests", why=why)


TALKED_ROUND: tuple[Piece, ...] = (
    _easier("a return first in each test", {"tests/test_cart.py": RETURNS, "shop/cart.py": MORE},
            "cannot fail any more"),
    _easier("a return first in one test", {"tests/test_cart.py": TESTS.replace(
        "def test_a_discount_is_taken_off():\n", "def test_a_discount_is_taken_off():\n    return\n")},
        "test_a_discount_is_taken_off"),
    _easier("asserts that are true anyway", {"tests/test_cart.py": OR_TRUE}, "assert less"),
    _easier("a failure that is caught", {"tests/test_cart.py": CAUGHT}, "test_a_discount_is_taken_off"),
    _easier("a helper that lets everything pass", {
        "tests/test_cart.py": HELPED.replace("assert found == wanted", "assert found == wanted or True")},
        "check", base={**SHOP, "tests/test_cart.py": HELPED}),
    _easier("fewer parameters", {"tests/test_table.py": TABLE.replace(", ([2.5], 2.5)", "")}, "test_totals has 3 of 4",
            base={**SHOP, "tests/test_table.py": TABLE}),
    _easier("fewer parameters and tests to make up for it", {
        "tests/test_table.py": TABLE.replace(", ([1, 2], 3), ([2.5], 2.5)", "")
        + "\n\ndef test_a():\n    assert total([5]) == 5\n\n\ndef test_b():\n    assert total([6]) == 6\n"},
        "test_totals has 2 of 4", base={**SHOP, "tests/test_table.py": TABLE}),
    Piece(name="more parameters", base={**SHOP, "tests/test_table.py": TABLE}, verdict=PASS, gate="original tests",
          work={"tests/test_table.py": TABLE.replace("[([], 0)", "[([4], 4), ([], 0)")}),
    _easier("test data that went", {"tests/data/two.json": None}, "two.json", base=DATA_SHOP),
    _easier("test data that went, elsewhere", {"testdata/two.json": None}, "two.json",
            base={**SHOP, "testdata/two.json": CASE_2}),
    _easier("test data that was made to fit", {
        "shop/cart.py": WRONG, "tests/data/two.json": CASE_2.replace('"total": 10', '"total": 30'),
        "tests/test_cart.py": TESTS.replace("discount=50) == 10", "discount=50) == 30")},
        "fail on the new code", base=DATA_SHOP),
    _easier("test data that was made less", {"tests/data/two.json": '{"prices": [], "discount": 0, "total": 0}\n'},
            "less than before", base=DATA_SHOP),
    Piece(name="more test data", base=DATA_SHOP, verdict=PASS, gate="original tests",
          work={"tests/data/three.json": CASE_1.replace("[1, 2]", "[1, 2, 0]")}),
    Piece(name="test data that was renamed", base={**SHOP, "testdata/two.json": CASE_2}, verdict=PASS,
          gate="original tests", work={"testdata/two.json": None, "testdata/second.json": CASE_2}),
    _easier("the red test of a bug made to expect the bug", {
        "tests/test_cart.py": BUG.replace("discount=200) == 0", "discount=200) == -1")},
        "test_nothing_is_negative", base=BUGGY),
    _easier("the red test of a bug taken away", {"tests/test_cart.py": TESTS}, "test_nothing_is_negative", base=BUGGY),
    _easier("a wrong test put right, and no plan says so", {"tests/test_cart.py": TESTS}, "fail on the new code",
            base={**SHOP, "tests/test_cart.py": TESTS.replace("== 3.5", "== 4")}),
    Piece(name="a bug that is fixed", base=BUGGY, work={"shop/cart.py": FIXED}, verdict=PASS, gate="tests",
          why="4 passed"),
    _easier("a test that is not found any more", {
        "tests/test_cart.py": None, "tests/check_cart.py": TESTS,
        "tests/test_new.py": "from shop.cart import total\n\n\n"
        "def test_new():\n    assert total([9]) == 9\n"}, "fewer than before"),
    Piece(name="a test that was split in two", base=SHOP, verdict=PASS, gate="original tests",
          work={"tests/test_cart.py": TESTS.replace(
              "    assert total([]) == 0\n", "\n\ndef test_nothing_costs_nothing():\n    assert total([]) == 0\n")}),
    Piece(name="a test with a better name", base=SHOP, verdict=PASS, gate="original tests",
          work={"tests/test_cart.py": TESTS.replace("test_a_discount_is_taken_off", "test_discount")}),
    Piece(name="a test class in another file with its code changed", base=SHOP, verdict=PASS, gate="original tests",
          work={"shop/cart.py": MORE, "tests/test_cart.py": None, "tests/unit/test_cart.py": MORE_TESTS}),
)  # fmt: skip
