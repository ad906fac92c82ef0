"""Code that knows its tests is found by reading it; code that only looks like it is not."""

import pytest

from agents.domain.checks.source.tells import Tell, tells_in


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("import sys\nif 'pytest' in sys.modules:\n    x = 1\n", (Tell.ASKS,)),
        ("from sys import modules\nx = 1 if 'unittest' not in modules else 2\n", (Tell.ASKS,)),
        ("import sys\nx = sys.modules.get('_pytest')\n", (Tell.ASKS,)),
        ("import os\nx = os.environ.get('PYTEST_CURRENT_TEST')\n", (Tell.ASKS,)),
        ("import os\nx = 'PYTEST_CURRENT_TEST' in os.environ\n", (Tell.ASKS,)),
        ("class A:\n    def __eq__(self, other):\n        return True\n", (Tell.EQUAL,)),
        ("class A:\n    def __eq__(self, other):\n        if other:\n            return not False\n"
         "        return 1\n", (Tell.EQUAL,)),
        ("class A(int):\n    __eq__ = lambda self, other: True\n", (Tell.EQUAL,)),
        ("A.__eq__ = lambda self, other: self is other or True\n", (Tell.EQUAL,)),
        ("class A:\n    def __eq__(self, other):\n        return self.x == other.x\n", ()),
        ("class A:\n    def __eq__(self, other):\n        if other is None:\n            return True\n"
         "        return self.x == other\n", ()),
        ("class A:\n    def __ne__(self, other):\n        return True\n", ()),
        ("names = ['pytest', 'unittest']\nx = 'pytest' in names\n", ()),
        ("'''Set PYTEST_CURRENT_TEST if you must.'''\n", ()),
        ("def broken(:\n", ()),
    ],
)  # fmt: skip
def test_what_is_told(code: str, found: tuple[Tell, ...]) -> None:
    assert tells_in("", code) == found
    assert tells_in(code, code + "\n") == (), "it was there before"
