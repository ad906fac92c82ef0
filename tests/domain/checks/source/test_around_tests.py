"""What stands around tests makes them do otherwise, or waits until it is asked for."""

import pytest

from agents.domain.checks.source.around_tests import steers

BASE = """import unittest

from shop import total

CASES = [1]


class TestCart(unittest.TestCase):
    def test_a(self):
        self.assertEqual(total(CASES), 1)


def test_b(prices):
    assert total(prices) == 2
"""


@pytest.mark.parametrize(
    ("more", "found"),
    [
        ("", False),
        ("\n\ndef test_c():\n    assert total([3]) == 3\n", False),
        ("\n\ndef helper():\n    return 1\n", False),
        ("\n\n@pytest.fixture(scope='module')\ndef cart():\n    return 1\n", False),
        ("\n\nclass TestMore:\n    def test_d(self):\n        assert total([4]) == 4\n", False),
        ("\n\n@pytest.fixture(autouse=True)\ndef calm():\n    return 1\n", True),
        ("\n\n@pytest.fixture\ndef prices():\n    return []\n", True),
        ("\n\ndef total(prices):\n    return 2\n", True),
        ("\n\ndef setup_module():\n    pass\n", True),
        ("\n\ndef pytest_generate_tests(metafunc):\n    pass\n", True),
        ("\n\ntest_b = None\n", True),
        ("\n\nfor name in dir():\n    pass\n", True),
        ("\n\ndef broken(:\n", True),
    ],
)
def test_what_is_added(more: str, found: bool) -> None:
    assert steers(BASE, BASE + more) is found


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ("from shop import total", "from shop import most, total", False),
        ("from shop import total", "from right import total", True),
        ("[1]", "[2]", True),
        ("class TestCart(unittest.TestCase)", "class TestCart(Quiet)", True),
        ("    def test_a(self)", "    def assertEqual(self, *given):\n        pass\n\n    def test_a(self)", True),
        ("== 2", "== 3", False),
        ("def test_b(prices):", "def test_b(prices):\n    # so it is", False),
    ],
)
def test_what_is_changed(old: str, new: str, found: bool) -> None:
    assert steers(BASE, BASE.replace(old, new)) is found
