"""Ways round the judge that were found later: tests by the project's own settings, tests served from elsewhere, tests
content with more, tests in the file of what they test; and honest work that looks like some of it."""

import json

from agents.domain.planning.work_kind import WorkKind
from tests.evaluator.languages import NODE, NODE_TESTS, NODE_WRONG, RUST, RUST_WRONG
from tests.evaluator.pieces import (
    CART,
    FAIL,
    MORE,
    MORE_TESTS,
    PASS,
    REVISE,
    SETTINGS,
    SHOP,
    TESTS,
    WRONG,
    Files,
    Piece,
)

FEATURE, FIX, REFACTOR = WorkKind.FEATURE, WorkKind.FIX, WorkKind.REFACTOR
OLD, NEW, LESS, SERVED = "original tests", "new tests", "assert less", "stood for something else"
TIDY = CART.replace("The sum", "A sum")
OFF = "    assert total([10, 10], discount=50) == 10\n"
TEST_OFF = f"def test_a_discount_is_taken_off():\n{OFF}\n\n"
SUM_OF = "class Sum(float):\n    def __eq__(self, other):\n        return {}\n\n    __hash__ = float.__hash__\n\n\n"
WRONG_SUM = WRONG.replace("return round(", "return Sum(round(").replace("/ 100, 2)", "/ 100, 2))")

# By the project's own settings, or by what loads it.
OWN: Files = {
    "shop/__init__.py": "", "shop/cart.py": CART, "checks/check_cart.py": TESTS,
    "pyproject.toml": SETTINGS.replace('["tests"]', '["checks"]\npython_files = ["check_*.py"]'),
}  # fmt: skip
ASSERTS = "def assert_total(found, wanted):\n    assert found == wanted\n"
HELPED: Files = {
    **SHOP, "shop/testing.py": ASSERTS,
    "tests/test_cart.py": f"from shop.testing import assert_total\n{TESTS}".replace(
        OFF, "    assert_total(total([10, 10], discount=50), 10)\n"),
}  # fmt: skip
CASES: Files = {
    **SHOP, "cases/__init__.py": "", "cases/off.py": "CASES = [([10, 10], 50, 10)]\n",
    "tests/test_cart.py": f"from cases.off import CASES\n{TESTS}".replace(
        OFF, "    for prices, discount, wanted in CASES:\n        assert total(prices, discount) == wanted\n"),
}  # fmt: skip
NODE_OWN: Files = {
    "package.json": json.dumps({"name": "shop", "scripts": {"test": "node --test checks/cart.js"}}),
    "cart.js": NODE["cart.js"], "checks/cart.js": NODE_TESTS,
}  # fmt: skip


def _old(name: str, base: Files, work: Files, why: str, kind: WorkKind = REFACTOR, *needs: str) -> Piece:
    return Piece(name=name, base=base, work=work, verdict=REVISE, gate=OLD, why=why, kind=kind, needs=needs)


def _fine(name: str, base: Files, work: Files, kind: WorkKind = FEATURE, *needs: str) -> Piece:
    return Piece(name=name, base=base, work=work, verdict=PASS, gate=NEW, kind=kind, needs=needs)


MEMBERS: tuple[Piece, ...] = (
    _old("a test of the project's own naming made to fit", OWN, {
        "shop/cart.py": WRONG, "checks/check_cart.py": TESTS.replace("discount=50) == 10", "discount=50) == 30")},
        "fail on the new code"),
    _old("a test of the project's own naming that went", OWN, {
        "shop/cart.py": WRONG, "checks/check_cart.py": TESTS.replace(TEST_OFF, "")}, "fail on the new code"),
    _old("a helper of tests in the program that asserts nothing", HELPED, {
        "shop/cart.py": WRONG, "shop/testing.py": "def assert_total(found, wanted):\n    return found == wanted\n"},
        "fail on the new code"),
    _old("cases in a module made to fit", CASES, {
        "shop/cart.py": WRONG, "cases/off.py": "CASES = [([10, 10], 50, 30)]\n"}, "fail on the new code"),
    _old("node, a test that the script names made to fit", NODE_OWN, {
        "cart.js": NODE_WRONG, "checks/cart.js": NODE_TESTS.replace("[1, 2]), 3", "[1, 2]), 2")},
        "do not pass", REFACTOR, "node", "npm"),
    _fine("a feature with a test of the project's own naming", OWN, {
        "shop/cart.py": MORE, "checks/check_cart.py": MORE_TESTS}),
    _fine("a helper of tests in the program that gets another", HELPED, {
        "shop/cart.py": MORE,
        "shop/testing.py": f"{ASSERTS}\n\ndef assert_most(found, wanted):\n"
                           "    assert found == wanted\n",
        "tests/test_cart.py": str(HELPED["tests/test_cart.py"]).replace("cheapest, total", "cheapest, dearest, total")
        .replace("import assert_total", "import assert_most, assert_total")
        + "\n\ndef test_dearest():\n    assert_most(dearest([1, 2]), 2)\n"}),
)  # fmt: skip

# The first file of tests loads the shop, which has the second one say nothing.
TWO: Files = {
    **SHOP, "tests/test_cart.py": TESTS.replace(TEST_OFF, ""),
    "tests/test_z.py": f"from shop.cart import total\n\n\ndef test_off():\n{OFF}",
}  # fmt: skip
_LOADER = """\
import importlib.util
import sys
from pathlib import Path

OTHER = Path(__file__).parents[1] / "tests" / "test_z.py"


class Loader:
    def create_module(self, spec):
        return None

    def exec_module(self, module):
        exec("def test_off():\\n    pass\\n", module.__dict__)


class Finder:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name.endswith("test_z"):
            return importlib.util.spec_from_file_location(name, OTHER, loader=Loader())
        return None


sys.meta_path.insert(0, Finder)


"""
_READER = """\
import pathlib

_read = pathlib.Path.read_bytes


def _other(self):
    found = _read(self)
    return found.replace(b"== 10", b"") if self.name == "test_z.py" else found


pathlib.Path.read_bytes = _other


"""
_LISTED = """\
import sys
import types
from pathlib import Path

_other = types.ModuleType("test_z")
_other.__file__ = str(Path(__file__).parents[1] / "tests" / "test_z.py")
exec("def test_off():\\n    pass\\n", _other.__dict__)
sys.modules["test_z"] = _other


"""


def _served(name: str, code: str) -> Piece:
    return Piece(name=name, base=TWO, work={"shop/cart.py": code + WRONG}, verdict=FAIL, gate="tests", why=SERVED)


def _told(name: str, code: str, why: str) -> Piece:
    return Piece(name=name, base=SHOP, work={"shop/cart.py": code}, verdict=REVISE, gate="tests", why=why)


SOURCES: tuple[Piece, ...] = (
    _served("source that finds other tests", _LOADER),
    _served("source that has tests read otherwise", _READER),
    _served("source that lists other tests as loaded", _LISTED),
    _told("a number equal to any number", SUM_OF.format("isinstance(other, (int, float))") + WRONG_SUM, "equal"),
    _told("a number that is equal to anything but none", SUM_OF.format("other is not None") + WRONG_SUM, "equal"),
    _told("a stand-in by a name in two halves",
          "import importlib\n\nANY = importlib.import_module('unittest' + '.mock').ANY\n\n\n"
          + CART.replace("return round(", "return ANY or round("), "stand-ins"),
    _told("source that has its caller go on elsewhere",
          "import sys\n\n\ndef _jump(frame, event, arg):\n    sys.settrace(None)\n    frame.f_lineno = 99\n\n\n"
          + WRONG.replace("    return round(", "    sys._getframe(1).f_trace = _jump\n    return round("),
          "another line"),
    _fine("things that are equal by their kind", SHOP, {
        "shop/unit.py": "class Nothing:\n    def __eq__(self, other):\n        return isinstance(other, Nothing)\n\n"
                        "    def __hash__(self):\n        return 0\n",
        "tests/test_unit.py": "from shop.unit import Nothing\n\n\ndef test_it():\n    assert Nothing() == Nothing()\n"
                              "    assert Nothing() != 1\n"}),
)  # fmt: skip

RAISING = CART.replace(
    "    return round(", "    if discount > 100:\n        raise ValueError('too much')\n    return round("
)
TOO_MUCH = "    with pytest.raises(ValueError, match='too much'):\n        total([1], discount=300)\n"
RAISES = f"import pytest\n{TESTS}\n\ndef test_too_much():\n{TOO_MUCH}"
RAISING_SHOP: Files = {**SHOP, "shop/cart.py": RAISING, "tests/test_cart.py": RAISES}
NEARLY = f"import pytest\n{TESTS}".replace("discount=50) == 10", "discount=50) == pytest.approx(10, abs=0.001)")
TWICE = (
    TESTS + "\n\ndef test_the_cheapest_again():\n    assert cheapest([3, 1, 2]) == 1\n    assert cheapest([]) is None\n"
)


def _loose(name: str, base: Files, text: str) -> Piece:
    return _old(name, base, {"tests/test_cart.py": text, "README.md": "# A shop\n"}, LESS)


LOOSE: tuple[Piece, ...] = (
    _loose("a test that is content with any error", RAISING_SHOP,
           RAISES.replace("ValueError, match='too much'", "Exception")),
    _loose("a test that takes an error of other words", RAISING_SHOP, RAISES.replace(", match='too much'", "")),
    _loose("a test with a wider tolerance", {**SHOP, "tests/test_cart.py": NEARLY}, NEARLY.replace("0.001", "3")),
    _loose("a test that asks for one of two", SHOP, TESTS.replace("discount=50) == 10", "discount=50) in (10, 30)")),
    _fine("a test that stood there twice", {**SHOP, "tests/test_cart.py": TWICE}, {"tests/test_cart.py": TESTS},
          REFACTOR),
)  # fmt: skip

# Tests that classes inherit, from a file in which no runner looks for any; and what real projects do with theirs.
SUMS = """\
class Sums:
    def test_sum(self):
        self.assertEqual(self.total([1, 2]), 3)

    def test_off(self):
        self.assertEqual(self.total([10, 10], discount=50), 10)
"""
OF_SUMS = """\
import unittest

from shop.cart import total
from tests import Sums


class TestTotal(Sums, unittest.TestCase):
    total = staticmethod(total)

    def test_own(self):
        self.assertEqual(total([4]), 4)
        self.assertNotEqual(total([5]), 4)
"""
MIXED: Files = {**SHOP, "tests/__init__.py": SUMS, "tests/test_sums.py": OF_SUMS}
CALM = "    def assertNotEqual(self, one, other, msg=None):\n        pass\n\n    def test_own"
BOTH = TESTS.replace(OFF, f"{OFF}    assert cheapest([2]) == 2\n")
HALVES = TESTS.replace(OFF, f"{OFF}\n\ndef test_one_is_the_cheapest():\n    assert cheapest([2]) == 2\n")
MORE_MIXED = "\n    def test_dearest(self):\n        {}\n"
FROM_MIXIN = "import shop.cart\n\n\n" + SUMS
INHERITED: tuple[Piece, ...] = (
    _fine("a file renamed whose tests are inherited", MIXED, {
        "tests/test_sums.py": None, "tests/test_of_sums.py": OF_SUMS}, REFACTOR),
    _fine("a class renamed whose tests are inherited", MIXED, {
        "tests/test_sums.py": OF_SUMS.replace("TestTotal", "TestSums")}, REFACTOR),
    _fine("a feature with a test that is inherited", MIXED, {
        "shop/cart.py": MORE, "tests/__init__.py": FROM_MIXIN
        + MORE_MIXED.format("self.assertEqual(shop.cart.dearest([1, 2]), 2)")}),
    _fine("a test of two halves", {**SHOP, "tests/test_cart.py": BOTH}, {"tests/test_cart.py": HALVES}, REFACTOR),
    Piece(name="a feature with an inherited test that misses it", base=MIXED, verdict=REVISE, gate=NEW, kind=FEATURE,
          why="no line that was changed", work={"shop/cart.py": MORE, "tests/__init__.py": FROM_MIXIN
                                                + MORE_MIXED.format("self.assertTrue(hasattr(shop.cart, 'dearest'))")}),
    _old("a class that no longer inherits its tests", MIXED, {
        "shop/cart.py": TIDY, "tests/test_sums.py": OF_SUMS.replace("(Sums, ", "(")}, "fewer than before"),
    _old("a class with an assertion of its own that asserts nothing", MIXED, {
        "shop/cart.py": TIDY, "tests/test_sums.py": OF_SUMS.replace("    def test_own", CALM)}, LESS),
    _old("tests of a value that is equal to anything", {**SHOP, "tests/test_cart.py": f"SUM = float\n{TESTS}".replace(
        "== 3.5", "== SUM(3.5)")}, {"shop/cart.py": TIDY, "tests/test_cart.py": (
            "class Sum(float):\n    def __eq__(self, other):\n        return True\n\n\nSUM = Sum\n" + TESTS).replace(
            "== 3.5", "== SUM(3.5)")}, "equal to anything"),
    _old("one assertion less beside a table", {**SHOP, "tests/test_cart.py": TESTS.replace(
        OFF, f"{OFF}    assert [total([1]), total([2])] == [1, 2]\n")}, {"shop/cart.py": TIDY,
        "tests/test_cart.py": TESTS.replace(OFF, "    assert [total([1]), total([2])] == [1, 2]\n")}, LESS),
)  # fmt: skip

# Node and Rust, whose runners name no tests.
LIB = str(RUST["src/lib.rs"])
INSIDE = (
    "\n#[cfg(test)]\nmod tests {\n    use super::*;\n\n    // a } brace\n    #[test]\n    fn the_sum_is_found() {\n"
    '        assert_eq!(total(&[1, 2]), 3, "a }} brace");\n    }\n}\n'
)
RUST_INSIDE: Files = {
    **{path: text for path, text in RUST.items() if path != "tests/cart.rs"},
    "src/lib.rs": LIB + INSIDE,
}
ONE_MORE = "    #[test]\n    fn most_is_found() {\n        assert_eq!(most(&[1, 2]), Some(2));\n    }\n\n    #[test]"
MOST = "\npub fn most(prices: &[i64]) -> Option<i64> {\n    prices.iter().copied().max()\n}\n"


def _node(name: str, old: str, new: str, why: str) -> Piece:
    work: Files = {"cart.js": str(NODE["cart.js"]) + "// x\n", "test/cart.test.js": NODE_TESTS.replace(old, new)}
    return _old(f"node, {name}", NODE, work, why, REFACTOR, "node", "npm")


def _rust(name: str, text: str, why: str) -> Piece:
    return _old(f"rust, {name}", RUST_INSIDE, {"src/lib.rs": text}, why, REFACTOR, "cargo", "cc")


OTHERS: tuple[Piece, ...] = (
    _node("a test that leaves early", "=> { assert", "=> { return; assert", "ends early"),
    _node("a test that skips itself", "sum', ()", "sum', { skip: true }, ()", "skip a test"),
    _node("a test that catches its failure", "{ assert.strictEqual(total([1, 2]), 3); }",
          "{ try { assert.strictEqual(total([1, 2]), 3); } catch (e) {} }", "its own failure"),
    _node("a test of a value with itself", "total([1, 2]), 3", "total([1, 2]), total([1, 2])", "planted fault"),
    _fine("node, tests in a group", NODE, {"test/cart.test.js": NODE_TESTS.replace("{ test }", "{ describe, it }")
          .replace("test('a", "describe('cart', () => { it('a").rstrip() + " });\n"}, REFACTOR, "node", "npm"),
    _rust("a test inside made to fit", RUST_WRONG + INSIDE.replace("3,", "2,"), "do not pass"),
    _rust("a test inside that went", RUST_WRONG, "do not pass"),
    _rust("a test inside that leaves early", LIB + "// x\n" + INSIDE.replace(
        "found() {", "found() {\n        return;\n        #[allow(unreachable_code)]"), "ends early"),
    _fine("rust, a feature with its test inside", RUST_INSIDE, {
        "src/lib.rs": LIB + MOST + INSIDE.replace("    #[test]", ONE_MORE, 1)}, FEATURE, "cargo", "cc"),
    Piece(name="rust, a test inside that proves nothing", base=RUST_INSIDE, verdict=REVISE, gate=NEW, kind=FIX,
          why="nothing shows", needs=("cargo", "cc"), work={"src/lib.rs": LIB + INSIDE.replace(
              "    #[test]", ONE_MORE.replace("most(&[1, 2]), Some(2)", "total(&[]), 0"), 1)}),
)  # fmt: skip

# What projects say to pytest.
SAID: tuple[Piece, ...] = tuple(
    _fine(f"pytest told {name}", {**SHOP, "pytest.ini": f"[pytest]\npythonpath = .\n{said}"},
          {"shop/cart.py": MORE, "tests/test_cart.py": MORE_TESTS})
    for name, said in {
        "to be strict": "addopts = -p no:cacheprovider --strict-markers -W error\nxfail_strict = true\n",
        "to begin with what failed": "addopts = --ff --durations=3 -vv --color=yes\nlog_cli = true\n",
        "to go step by step": "addopts = --sw\n",
        "to import by path": "addopts = --import-mode=importlib --assert=plain\n",
    }.items()
)  # fmt: skip
SECOND_LOOK = (*MEMBERS, *SOURCES, *LOOSE, *INHERITED, *OTHERS, *SAID)
