"""What a piece of work in the corpus is made of, and the small shop that most of them change."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from agents.domain.checks.evaluation import GateCommands, Score
from agents.domain.checks.scope import Scope, ScopeMode
from agents.domain.planning.work_kind import WorkKind

ANYTHING = Scope(mode=ScopeMode.UNRESTRICTED)
PASS, REVISE, FAIL = Score.PASS, Score.NEEDS_REVISION, Score.FAIL


@dataclass(frozen=True, slots=True)
class File:
    content: bytes = b""
    mode: str = "100644"


Files = Mapping[str, "str | bytes | File | None"]  # None: it goes


def program(text: str) -> File:
    return File(text.encode(), "100755")


def link(target: str) -> File:
    return File(target.encode(), "120000")


def module() -> File:
    return File(b"", "160000")


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """`gate` is the row that decides; `why` stands in its reason or its output."""

    name: str  # as a sentence
    base: Files
    work: Files
    verdict: Score
    gate: str = ""
    why: str = ""
    scope: Scope = ANYTHING
    commands: GateCommands = field(default_factory=GateCommands)
    seconds: float = 60
    hidden: tuple[str, ...] = ()  # may stand nowhere in what is told or kept
    needs: tuple[str, ...] = ()  # programs without which it is not tried
    first: Files | None = None  # an earlier attempt on the same branch
    again: bool = False  # the same tree was handed in before
    kind: WorkKind | None = None  # what its plan says it is
    changes_tests: bool = False  # what its plan says of existing tests
    reruns: int = 0  # of what fails, for the few pieces where that matters
    red: tuple[str, ...] = ()  # what was measured on the base, where it was
    unsteady: tuple[str, ...] = ()
    tests: int = 0  # how many ran there


def only(*paths: str) -> Scope:
    return Scope(mode=ScopeMode.DIRECTORY, patterns=paths)


CART = '''"""A cart."""


def total(prices, discount=0):
    """The sum, less a discount in percent."""
    return round(sum(prices) * (100 - discount) / 100, 2)


def cheapest(prices):
    return min(prices) if prices else None
'''
WRONG = CART.replace("(100 - discount)", "(100 + discount)")
TESTS = """from shop.cart import cheapest, total


def test_a_total_is_the_sum():
    assert total([1, 2.5]) == 3.5
    assert total([]) == 0


def test_a_discount_is_taken_off():
    assert total([10, 10], discount=50) == 10


def test_the_cheapest_is_found():
    assert cheapest([3, 1, 2]) == 1
    assert cheapest([]) is None
"""
SETTINGS = """[project]
name = "shop"
version = "1.0"

[tool.pytest.ini_options]
testpaths = ["tests"]
pythonpath = ["."]

[tool.ruff]
line-length = 120
lint.select = ["E", "F"]
"""
SHOP: Files = {
    "README.md": "# Shop\n",
    "pyproject.toml": SETTINGS,
    "shop/__init__.py": '"""A shop."""\n',
    "shop/cart.py": CART,
    "tests/test_cart.py": TESTS,
}
MORE = CART + "\n\ndef dearest(prices):\n    return max(prices) if prices else None\n"
MORE_TESTS = (
    TESTS.replace("cheapest, total", "cheapest, dearest, total")
    + "\n\ndef test_the_dearest_is_found():\n    assert dearest([3, 1, 2]) == 3\n    assert dearest([]) is None\n"
)
