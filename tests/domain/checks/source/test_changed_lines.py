"""Lines that a change touches: those that a test can run, and no others."""

import pytest

from agents.domain.checks.source.changed_lines import LINES_MOST, Touched, function_lines, touched_lines

BEFORE = '''import os

RATE = 2


@cached
def total(prices, rate=RATE):
    """The sum."""
    if prices:
        return sum(
            prices,
        )
    return 0


class Cart:
    """A cart."""

    size = 3

    def add(self, item):
        self.items.append(item)
        self.changed = True
'''


@pytest.mark.parametrize(
    ("old", "new", "inside", "everywhere"),
    [
        ("return 0", "return 1", {13}, False),
        ("            prices,\n", "            prices or [],\n", {10, 11}, False),  # measured where it begins
        ("if prices:", "if len(prices):", {9}, False),
        ("rate=RATE", "rate=3", {8, 9, 10, 11, 12, 13}, False),  # its head: all of it is otherwise now
        ("@cached\n", "@cached(3)\n", {8, 9, 10, 11, 12, 13}, False),
        ("RATE = 2", "RATE = 3", set(), True),
        ("size = 3", "size = 4", set(), True),
        ("import os", "import os, sys", set(), False),
        ('"""A cart."""', '"""The cart."""', set(), False),
        ("        self.changed = True\n", "", {22}, False),  # what stood before it does something else now
        ("\n\nclass Cart", "\n\n\nclass Cart", set(), False),
    ],
)
def test_what_a_change_touches(old: str, new: str, inside: set[int], everywhere: bool) -> None:
    assert touched_lines(BEFORE, BEFORE.replace(old, new, 1)) == Touched(
        inside=frozenset(inside), everywhere=everywhere
    )


def test_a_new_file_is_changed_in_all_of_its_functions() -> None:
    found = touched_lines("", BEFORE)
    assert found is not None and found.inside == function_lines(BEFORE) and found.everywhere


def test_what_cannot_be_read_is_not_told() -> None:
    assert touched_lines("", "def broken(:\n") is None
    assert touched_lines("", "x = 1\n" * (LINES_MOST + 1)) is None
    assert function_lines("def broken(:\n") == frozenset()


def test_a_change_touches_something_in_functions_or_where_the_file_is_loaded() -> None:
    assert Touched(everywhere=True).anything and Touched(inside=frozenset({1})).anything
    assert not Touched().anything


def test_what_stands_around_a_line_that_is_gone_is_changed() -> None:
    before = "def f():\n    a()\n    b()\n    c()\n    d()\n    e()\n"
    found = touched_lines(before, before.replace("    c()\n", ""))
    assert found == Touched(inside=frozenset({3, 4}), everywhere=False)
