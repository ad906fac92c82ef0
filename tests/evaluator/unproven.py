"""New tests that prove nothing, and those that do: run on the old code, and read."""

from agents.domain.planning.work_kind import WorkKind
from tests.evaluator.pieces import CART, MORE, MORE_TESTS, PASS, REVISE, SHOP, TESTS, Files, Piece
from tests.evaluator.talked_round import BUG, BUGGY, FIXED

FEATURE, FIX = WorkKind.FEATURE, WorkKind.FIX
MOCKS = "unittest" + ".mock"  # in halves: nothing is patched here
NEW_HEAD = "from shop.cart import dearest\n\n\n"
PROVES_NOTHING = "from shop.cart import total\n\n\ndef test_more():\n    assert total([4]) == 4\n"


def _unproven(name: str, test: str, why: str, *, kind: WorkKind = FEATURE, work: Files | None = None) -> Piece:
    changed = {"shop/cart.py": MORE} if work is None else work
    return Piece(name=name, base=SHOP, work={**changed, "tests/test_new.py": test}, verdict=REVISE, gate="new tests",
                 why=why, kind=kind)  # fmt: skip


UNPROVEN: tuple[Piece, ...] = (
    _unproven("a new test that proves nothing, and no fix", PROVES_NOTHING, "nothing shows what was changed", kind=FIX,
              work={"shop/cart.py": CART.replace("The sum", "A sum")}),
    _unproven("a feature with a test of something else", PROVES_NOTHING, "1 new or changed test passes"),
    _unproven("a new test that is always true", NEW_HEAD + "def test_it():\n    assert dearest([1]) or True\n",
              "asserts only what is always true"),
    _unproven("a new test that leaves early", NEW_HEAD + "def test_it():\n    return\n    assert dearest([1]) == 1\n",
              "ends before it asserts"),
    _unproven("a new test that does nothing", NEW_HEAD + "def test_it():\n    pass\n", "does nothing"),
    _unproven("a new test of a stand-in", f"from {MOCKS} import Mock\n\nimport shop.cart\n\n\ndef test_it():\n"
              "    shop.cart.dearest = dearest = Mock(return_value=3)\n    dearest = Mock(return_value=3)\n"
              "    assert dearest([3]) == 3\n", "stand-ins"),
    _unproven("a new test that is skipped", "import pytest\n" + NEW_HEAD
              + "@pytest.mark.skip\ndef test_it():\n    assert dearest([1]) == 1\n", "never run"),
    _unproven("a new test that is never found", NEW_HEAD + "class Dearest:\n    def test_it(self):\n"
              "        assert dearest([1]) == 1\n\n\ndef test_other():\n    assert dearest([2]) == 2\n",
              "not found by the runner"),
    Piece(name="a feature with its test", base=SHOP, verdict=PASS, gate="new tests", kind=FEATURE,
          work={"shop/cart.py": MORE, "tests/test_cart.py": MORE_TESTS}, why="1 of 1 new or changed test fail"),
    Piece(name="a feature with a smoke test", base=SHOP, verdict=PASS, gate="new tests", kind=FEATURE,
          work={"shop/cart.py": MORE, "tests/test_new.py": NEW_HEAD + "def test_it():\n    dearest([1])\n"}),
    Piece(name="a feature with one test that shows it and one that does not", base=SHOP, verdict=PASS, gate="new tests",
          kind=FEATURE, why="1 of 2", work={"shop/cart.py": MORE, "tests/test_new.py": PROVES_NOTHING
                                            + "\n\ndef test_dearest():\n    import shop.cart\n\n"
                                            "    assert shop.cart.dearest([1]) == 1\n"}),
    Piece(name="a feature without a test", base=SHOP, verdict=PASS, gate="new tests", kind=FEATURE, why="no new test",
          work={"shop/cart.py": MORE}),
    Piece(name="a refactoring with more tests", base=SHOP, verdict=PASS, gate="new tests", kind=WorkKind.REFACTOR,
          work={"shop/cart.py": CART.replace("if prices else None", "if len(prices) else None"),
                "tests/test_new.py": PROVES_NOTHING}),
    Piece(name="a fix that mends a red test", base=BUGGY, work={"shop/cart.py": FIXED}, verdict=PASS, kind=FIX,
          gate="new tests", why="no new test"),
    Piece(name="a fix that mends nothing", base=BUGGY, verdict=REVISE, kind=FIX, gate="new tests",
          work={"shop/cart.py": CART.replace("The sum", "A sum")}, why="fail without this fix"),
    Piece(name="a fix of something else, with a test that shows it", base=BUGGY, verdict=PASS, kind=FIX,
          gate="new tests", work={"shop/cart.py": MORE, "tests/test_new.py": NEW_HEAD
                                  + "def test_it():\n    assert dearest([1]) == 1\n"}),
    Piece(name="a fix with its test, on a green base", base=SHOP, verdict=PASS, kind=FIX, gate="new tests",
          work={"shop/cart.py": FIXED, "tests/test_cart.py": BUG}, why="1 of 1"),
    Piece(name="more tests alone", base=SHOP, verdict=PASS, gate="new tests", kind=WorkKind.TESTS,
          work={"tests/test_new.py": PROVES_NOTHING}),
    Piece(name="words alone", base=SHOP, verdict=PASS, gate="new tests", kind=WorkKind.DOCS, why="only documentation",
          work={"README.md": "# The shop\n"}),
    Piece(name="a test file that was renamed", base=SHOP, verdict=PASS, gate="new tests", kind=FEATURE,
          work={"shop/cart.py": MORE, "tests/test_cart.py": None, "tests/test_shop.py": TESTS}, why="no new test"),
)  # fmt: skip
