"""Faults that are planted in a program: each can be read, is on a line that was asked for, and changes something."""

import ast

from agents.domain.checks.source.planted_faults import faults_in

TEXT = '''"""Prices."""

RATE = 2


def total(prices, discount=0):
    found = 0
    for price in prices:
        if price > 0 and price not in (7, 8):
            found += price * RATE
    return found - discount if found else None


def nothing():
    return None
'''
ALL = set(range(1, 30))


def test_each_fault_is_one_line_that_differs_and_can_be_read() -> None:
    found = list(faults_in(TEXT, ALL))
    for fault in found:
        ast.parse(fault.text)
        differing = [at for at, (old, new) in enumerate(zip(TEXT.splitlines(), fault.text.splitlines(), strict=True), 1)
                     if old != new]  # fmt: skip
        assert differing == [fault.line]
    assert {fault.line for fault in found} == {7, 9, 10, 11, 15}
    assert len({fault.text for fault in found}) == len(found)


def test_what_is_returned_comes_first_and_only_lines_that_are_asked_for() -> None:
    assert [fault.line for fault in faults_in(TEXT, ALL)][:2] == [11, 15]
    assert {fault.line for fault in faults_in(TEXT, {10})} == {10}
    assert not list(faults_in(TEXT, {3}))  # outside of functions
    assert not list(faults_in("def broken(:\n", ALL))


def test_nothing_returned_is_something_then() -> None:
    assert "return object()" in next(faults_in(TEXT, {15})).text
