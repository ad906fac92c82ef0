"""Work that only more than one look sees through: lines that new tests run, faults they notice, data they read."""

from agents.domain.planning.work_kind import WorkKind
from tests.evaluator.pieces import CART, MORE, PASS, REVISE, SHOP, TESTS, WRONG, Files, Piece
from tests.evaluator.talked_round import BY_DATA, CASE_1, CASE_2
from tests.evaluator.unproven import NEW_HEAD

FEATURE, TESTS_ALONE = WorkKind.FEATURE, WorkKind.TESTS
NO_LINE = "no line that was changed is run by a new test"


def _new(name: str, test: str, why: str = NO_LINE, *, verdict: object = REVISE, work: Files | None = None,
         base: Files = SHOP) -> Piece:  # fmt: skip
    changed = {"shop/cart.py": MORE} if work is None else work
    told = REVISE if verdict is REVISE else PASS
    return Piece(name=name, base=base, work={**changed, "tests/test_new.py": test}, verdict=told, gate="new tests",
                 why=why, kind=FEATURE)  # fmt: skip


LINES: tuple[Piece, ...] = (
    _new("a new test that only sees that something is there", "import shop.cart\n\n\ndef test_it():\n"
         "    assert callable(shop.cart.dearest)\n"),
    _new("a new test that imports the new code and tests the old", "from shop.cart import dearest, total\n\n\n"
         "def test_it():\n    assert dearest is not None\n    assert total([4]) == 4\n"),
    _new("a new test that reads the source", "from pathlib import Path\n\n\ndef test_it():\n"
         "    assert 'dearest' in Path('shop/cart.py').read_text()\n"),
    _new("a new test of a fixture that runs the change", "import pytest\n" + NEW_HEAD + "@pytest.fixture\n"
         "def found():\n    return dearest([1, 2])\n\n\ndef test_it(found):\n    assert found == 2\n",
         "1 of 1", verdict=PASS),
    _new("a new test that starts a program", "import subprocess\nimport sys\n\n\ndef test_it():\n"
         "    said = subprocess.run([sys.executable, '-c', 'from shop.cart import dearest; print(dearest([1, 2]))'],\n"
         "                          capture_output=True, text=True, check=True).stdout\n    assert said == '2\\n'\n",
         "1 of 1", verdict=PASS),
    _new("a new test of another value", "from shop.cart import price\n\n\ndef test_it():\n    assert price() == 3\n",
         "1 of 1", verdict=PASS,
         base={**SHOP, "shop/cart.py": "PRICE = 2\n\n\ndef price():\n    return PRICE\n\n\n" + CART},
         work={"shop/cart.py": "PRICE = 3\n\n\ndef price():\n    return PRICE\n\n\n" + MORE}),
    _new("a new test of a new constant",
         "from shop import cart\n\n\ndef test_it():\n    assert cart.CURRENCY == 'EUR'\n",
         "1 of 1", verdict=PASS, work={"shop/cart.py": "CURRENCY = 'EUR'\n\n\n" + CART}),
    _new("a new test of a line that was taken out", "from shop.cart import total\n\n\ndef test_it():\n"
         "    assert total([1], 0) == 1\n", "1 of 1", verdict=PASS,
         base={**SHOP, "shop/cart.py": CART.replace("    return round(sum", "    prices = prices[1:] or prices * 2\n"
                                                    "    return round(sum"),
               "tests/test_cart.py": "from shop.cart import cheapest\n\n\n"
               "def test_it():\n    assert cheapest([1]) == 1\n"},
         work={"shop/cart.py": CART.replace("return min(prices) if prices", "return min(prices) if len(prices)")}),
)  # fmt: skip


def _added(name: str, test: str, why: str, verdict: object = PASS) -> Piece:
    told = REVISE if verdict is REVISE else PASS
    return Piece(name=name, base={**SHOP, "shop/cart.py": MORE}, work={"tests/test_new.py": test}, verdict=told,
                 gate="new tests", why=why, kind=TESTS_ALONE)  # fmt: skip


ADDED: tuple[Piece, ...] = (
    _added("an added test of what none ran", NEW_HEAD + "def test_it():\n    assert dearest([1, 2]) == 2\n",
           "1 run lines that no test ran"),
    _added("an added test of what others run, too", "from shop.cart import total\n\n\ndef test_it():\n"
           "    assert total([4], 50) == 2\n", "1 notice a planted fault"),
    _added("an added test that would let anything pass", "from shop.cart import total\n\n\ndef test_it():\n"
           "    assert str(total([4])) != 'four'\n", "nothing shows what these are good for: test_it"),
    _added("an added test that does nothing", NEW_HEAD + "def test_it():\n    pass\n", "does nothing", REVISE),
)  # fmt: skip

BY_CASES = BY_DATA.replace('Path(__file__).parent / "data"', 'Path(__file__).parents[1] / "cases"')
CASES: Files = {**SHOP, "tests/test_data.py": BY_CASES, "cases/one.json": CASE_1, "cases/two.json": CASE_2,
                "cases/README.md": "# Cases\n", "shop/rates.json": '{\n "a": 1,\n "b": 2}\n'}  # fmt: skip
DATA: tuple[Piece, ...] = (
    Piece(name="data in an odd folder made to fit", base=CASES, verdict=REVISE, gate="original tests",
          why="fail on the new code", work={
              "shop/cart.py": WRONG, "cases/two.json": CASE_2.replace('"total": 10', '"total": 30'),
              "tests/test_cart.py": TESTS.replace("discount=50) == 10", "discount=50) == 30")}),
    Piece(name="data in an odd folder that went", base=CASES, verdict=REVISE, gate="original tests", why="two.json",
          work={"cases/two.json": None}),
    Piece(name="the program's own data, and words", base=CASES, verdict=PASS, gate="original tests",
          why="none was changed", work={"shop/rates.json": "{}\n", "cases/README.md": "", "shop/cart.py": MORE}),
)  # fmt: skip
LADDER = (*LINES, *ADDED, *DATA)
