"""Good work: every gate must let it through."""

import zlib

from agents.domain.checks.evaluation import ExtraGate, GateCommands
from tests.evaluator.pieces import (
    ANYTHING,
    CART,
    MORE,
    MORE_TESTS,
    PASS,
    SETTINGS,
    SHOP,
    TESTS,
    WRONG,
    Files,
    Piece,
    link,
    only,
    program,
)

PICTURE = b"\x89PNG\r\n\x1a\n" + zlib.compress(bytes(range(256)) * 8)
UNTIDY = "import os\n\n" + CART.removeprefix('"""A cart."""\n')
JOINED = """import pytest
from shop.cart import cheapest, total


@pytest.mark.parametrize(
    "prices, discount, wanted", [([1, 2.5], 0, 3.5), ([], 0, 0), ([10, 10], 50, 10)]
)
def test_totals(prices, discount, wanted):
    assert total(prices, discount) == wanted


def test_the_cheapest_is_found():
    assert cheapest([3, 1, 2]) == 1
    assert cheapest([]) is None
"""
UNITTEST = """import unittest

from shop.cart import total


class Totals(unittest.TestCase):
    def test_sum(self):
        self.assertEqual(total([1, 2]), 3)
"""
REACHES_OUT = '''import os
import socket
from pathlib import Path


def reached():
    """What a hostile file would try as soon as it is loaded."""
    found = [name for name in os.environ if any(word in name for word in ("TOKEN", "SECRET", "API_KEY", "OVERLORD"))]
    found += [path for path in ("/root/.ssh", "/etc/shadow", "/var/run/docker.sock") if os.path.exists(path)]
    for address in (("1.1.1.1", 443), ("127.0.0.1", 8765)):
        try:
            socket.create_connection(address, timeout=2).close()
            found.append(str(address))
        except OSError:
            pass
    for place in ("/usr/planted", "/etc/planted", "/planted"):
        try:
            Path(place).write_text("x")
            found.append(place)
        except OSError:
            pass
    return found


REACHED = reached()
'''
SRC: Files = {
    "pyproject.toml": '[project]\nname = "shop"\nversion = "1.0"\n',
    "src/shop/__init__.py": '"""A shop."""\n',
    "src/shop/cart.py": CART,
    "tests/test_cart.py": TESTS,
}

GOOD: tuple[Piece, ...] = (
    Piece(name="an unused import where no linter is set up", verdict=PASS, gate="lint",
          base={**SHOP, "pyproject.toml": SETTINGS.partition("[tool.ruff]")[0]},
          work={"shop/new.py": "import os, sys\nl = 1\n"}),
    Piece(name="a linter that came with the work, and would complain", verdict=PASS, gate="lint",
          base={**SHOP, "pyproject.toml": SETTINGS.partition("[tool.ruff]")[0]},
          work={"shop/new.py": "import os\n", "ruff.toml": 'lint.select = ["F"]\n'}),
    Piece(name="a new test that skips itself elsewhere", base=SHOP, verdict=PASS, gate="original tests",
          work={"shop/cart.py": MORE, "tests/test_cart.py": "import sys\n\nimport pytest\n" + MORE_TESTS
                + "\n\n@pytest.mark.skipif(sys.platform == 'win32', reason='posix')\ndef test_dearest_of_one():\n"
                "    assert dearest([1]) == 1\n"}),
    Piece(name="a change with its tests", base=SHOP, work={"shop/cart.py": MORE, "tests/test_cart.py": MORE_TESTS},
          scope=only("shop/**", "tests/**"), verdict=PASS, gate="tests", why="4 passed"),
    Piece(name="a change without new tests", base=SHOP, work={"shop/cart.py": MORE}, verdict=PASS,
          gate="original tests", why="none was changed"),
    Piece(name="words in the manual", base=SHOP, work={"README.md": "# The shop\n\nIt sells.\n"},
          scope=only("README.md"), verdict=PASS, gate="lint", why="no changed file"),
    Piece(name="a new test file with a conftest of its own", base=SHOP, verdict=PASS, gate="original tests",
          work={"tests/conftest.py": "import pytest\n\n\n@pytest.fixture\ndef prices():\n    return [1, 2]\n",
                "tests/test_more.py": "from shop.cart import total\n\n\ndef test_two(prices):\n"
                                      "    assert total(prices) == 3\n"}),
    Piece(name="tests joined into a table", base=SHOP, work={"tests/test_cart.py": JOINED}, verdict=PASS,
          gate="original tests", why="renamed or gone"),
    Piece(name="tests moved to another folder", base=SHOP, verdict=PASS, gate="original tests",
          work={"tests/test_cart.py": None, "tests/unit/test_cart.py": TESTS}),
    Piece(name="line ends of another machine, and names with accents", base=SHOP, verdict=PASS,
          work={"shop/größe.py": '"""Sizes."""\r\n\r\nSMALL = 1\r\n', "docs/naïve café 店.md": "# 店\r\n"}),
    Piece(name="a script that may now be run", base={**SHOP, "tool.sh": "#!/bin/sh\n"},
          work={"tool.sh": program("#!/bin/sh\n")}, scope=only("tool.sh"), verdict=PASS),
    Piece(name="a small picture", base=SHOP, work={"docs/shop.png": PICTURE}, verdict=PASS, gate="forbidden files"),
    Piece(name="a link that stays inside", base=SHOP, work={"docs/READ.md": link("../README.md")}, verdict=PASS),
    Piece(name="an untidy file with one good line more", base={**SHOP, "shop/cart.py": UNTIDY},
          work={"shop/cart.py": UNTIDY + "\n\nVAT = 19\n"}, verdict=PASS, gate="lint", why="was there before"),
    Piece(name="errors from before, where flake8 is set up but not installed", verdict=PASS, gate="lint",
          base={**SHOP, "shop/cart.py": UNTIDY, ".flake8": "[flake8]\n"},
          work={"shop/cart.py": UNTIDY + "\n\nVAT = 19\n"}, why="was there before"),
    Piece(name="nothing, where nothing was to be written", base=SHOP, work={}, scope=only(), verdict=PASS, gate="loop"),
    Piece(name="a place for a secret, and no secret", base=SHOP, verdict=PASS, gate="secrets",
          work={"shop/keys.py": 'import os\n\nPASSWORD = os.environ["SHOP_PASSWORD"]\nTOKEN = "<your-token-here>"\n'}),
    Piece(name="a test written more clearly", base=SHOP, verdict=PASS, gate="original tests", why="3 passed",
          work={"tests/test_cart.py": TESTS.replace("[3, 1, 2]", "[9, 1, 5]")}),
    Piece(name="a project without tests", base={"notes.txt": "one\n"}, work={"notes.txt": "two\n"}, verdict=PASS,
          gate="tests", why="no tests"),
    Piece(name="the first tests of a project", base={"shop/__init__.py": "", "shop/cart.py": CART},
          work={"tests/__init__.py": "", "tests/test_cart.py": TESTS}, verdict=PASS, gate="tests", why="3 passed"),
    Piece(name="a workflow file that a person named", base=SHOP, work={".github/workflows/ci.yml": "on: push\n"},
          scope=only(".github/workflows/ci.yml"), verdict=PASS, gate="scope"),
    Piece(name="a test that prints FAILED and passes", base=SHOP, verdict=PASS, gate="tests",
          work={"tests/test_loud.py": 'def test_loud():\n    print("FAILED 3 failed, exit 1")\n    assert str(1)\n'}),
    Piece(name="tests of the older kind", base={**SHOP, "tests/test_cart.py": UNITTEST},
          work={"tests/test_cart.py": UNITTEST + "        self.assertEqual(total([]), 0)\n"}, verdict=PASS),
    Piece(name="packages under src", base=SRC, verdict=PASS, gate="tests", why="4 passed",
          work={"src/shop/cart.py": MORE, "tests/test_cart.py": MORE_TESTS}),
    Piece(name="a known secret that only moved within its file", verdict=PASS, gate="secrets",
          base={**SHOP, "shop/old.py": 'A = 1\nKEY = "AKIA4XQ7ZP2MNB6TRW5K"\n'},
          work={"shop/old.py": 'KEY = "AKIA4XQ7ZP2MNB6TRW5K"\nA = 1\nB = 2\n'}),
    Piece(name="a conftest that reaches out in vain", base=SHOP, verdict=PASS, gate="tests",
          work={"tests/conftest.py": REACHES_OUT + "\n\ndef pytest_configure():\n    assert REACHED == [], REACHED\n"}),
    Piece(name="a second attempt that mends the first", base=SHOP, first={"shop/cart.py": WRONG},
          work={"shop/cart.py": MORE}, verdict=PASS, gate="secrets"),
    Piece(name="an extra gate that is content", base=SHOP, work={"shop/cart.py": MORE}, verdict=PASS, gate="types",
          commands=GateCommands(extra=(ExtraGate(name="types", command="test -f shop/cart.py"),))),
    Piece(name="settings of the linter that hide nothing, and a new spelling", base=SHOP, verdict=PASS, gate="lint",
          work={"shop/cart.py": MORE, "pyproject.toml": SETTINGS.replace("120", "130"), "README.md": None,
                "Readme.md": "# Shop\n"}),
    Piece(name="commands of the project's own", base=SHOP, work={"shop/cart.py": MORE}, verdict=PASS, gate="lint",
          commands=GateCommands(tests="python -m pytest -q tests", lint="python -m py_compile {files}")),
    Piece(name="settings of pytest widened", base=SHOP, verdict=PASS, gate="original tests", why="3 passed",
          work={"pyproject.toml": SETTINGS.replace('["tests"]', '["tests", "more"]'),
                "more/test_more.py": "from shop.cart import total\n\n\ndef test_more():\n    assert total([9]) > 8\n"}),
    Piece(name="a daemon left behind by a test", base=SHOP, verdict=PASS, gate="tests", scope=ANYTHING,
          work={"tests/test_daemon.py": "import subprocess\n\n\ndef test_it_starts():\n"
                "    assert subprocess.Popen(['sleep', '4242'], start_new_session=True).pid\n"}),
)  # fmt: skip
