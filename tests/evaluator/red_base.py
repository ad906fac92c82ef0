"""Projects whose base is red or unsteady somewhere: good work passes there, and bad work does not."""

from agents.domain.checks.evaluation import ExtraGate, GateCommands
from tests.evaluator.pieces import MORE, MORE_TESTS, PASS, REVISE, SHOP, WRONG, Files, Piece

RED_TEST = "def test_the_weather():\n    assert 'rain' == 'sun'\n"
RED: Files = {**SHOP, "tests/test_weather.py": RED_TEST}
NAME = "tests.test_weather.test_the_weather"
# fails every second time; what it remembers is where a sandbox lets it write
FLAKY = """import os
import time


def test_the_weather():
    assert int(time.time_ns() / 1000) % 2, os.getpid()
"""
UNREADABLE: Files = {**SHOP, "tests/test_old.py": "import no_such_library\n\n\ndef test_it():\n    pass\n"}
TYPES = GateCommands(extra=(ExtraGate(name="types", command="cat findings.txt; exit 1"),))

RED_BASE: tuple[Piece, ...] = (
    Piece(name="good work on a base that is red elsewhere", base=RED, verdict=PASS, gate="tests",
          work={"shop/cart.py": MORE, "tests/test_cart.py": MORE_TESTS}, why="1 failed before the change too"),
    Piece(name="good work on a base that was measured as red", base=RED, verdict=PASS, gate="tests", red=(NAME,),
          work={"shop/cart.py": MORE, "tests/test_cart.py": MORE_TESTS}, why="test_the_weather"),
    Piece(name="bad work on a base that is red elsewhere", base=RED, verdict=REVISE, gate="tests",
          work={"shop/cart.py": WRONG}, why="1 newly failing: tests.test_cart.test_a_discount_is_taken_off"),
    Piece(name="a new test beside a red one in its file", base=RED, verdict=PASS, gate="original tests",
          work={"tests/test_weather.py": RED_TEST + "\n\ndef test_more():\n    assert str(1) == '1'\n"}),
    Piece(name="good work beside a file that cannot be read", base=UNREADABLE, verdict=PASS, gate="tests",
          work={"shop/cart.py": MORE, "tests/test_cart.py": MORE_TESTS}, why="4 passed; 1 failed before"),
    Piece(name="bad work beside a file that cannot be read", base=UNREADABLE, verdict=REVISE, gate="tests",
          work={"shop/cart.py": WRONG}, why="test_a_discount_is_taken_off"),
    Piece(name="good work on a base that is known to be unsteady", base=RED, verdict=PASS, gate="tests",
          unsteady=(NAME,), work={"shop/cart.py": MORE, "tests/test_cart.py": MORE_TESTS}, why="unsteady"),
    Piece(name="good work on a base that is unsteady", base={**SHOP, "tests/test_weather.py": FLAKY}, verdict=PASS,
          work={"shop/cart.py": MORE, "tests/test_cart.py": MORE_TESTS}, gate="tests", reruns=5),
    Piece(name="bad work that fails again and again", base=SHOP, verdict=REVISE, gate="tests", reruns=2,
          work={"shop/cart.py": WRONG}, why="1 of 3 failed"),
    Piece(name="an extra gate that complained before", base={**SHOP, "findings.txt": "a.py:3: odd\n"}, verdict=PASS,
          work={"shop/cart.py": MORE}, gate="types", why="only what was there before", commands=TYPES),
    Piece(name="an extra gate that complains of more", base={**SHOP, "findings.txt": "a.py:3: odd\n"}, verdict=REVISE,
          work={"findings.txt": "a.py:9: odd\nb.py:1: odder\n"}, gate="types", why="1 new: b.py:1: odder",
          commands=TYPES),
    Piece(name="make, red before and after", base={"Makefile": "test:\n\t@echo 'FAILED one'; exit 1\n", "a.txt": "1\n"},
          work={"a.txt": "2\n"}, verdict=PASS, gate="tests", needs=("make",), why="did not say before"),
    Piece(name="make, red before and redder after", verdict=REVISE, gate="tests", needs=("make",), why="FAILED two",
          base={"Makefile": "test:\n\t@cat a.txt; exit 1\n", "a.txt": "FAILED one\n"},
          work={"a.txt": "FAILED one\nFAILED two\n"}),
)  # fmt: skip
