"""What coverage wrote is read test by test, and what cannot be read is not measured."""

import json

import pytest

from agents.workspace.gates.comparing.lines_by_test import read_lines

WRITTEN = {
    "files": {
        "shop/cart.py": {
            "executed_lines": [1, 4, 6],
            "missing_lines": [9],
            "contexts": {"1": [""], "4": ["", "0", "others"], "6": ["1"]},
        },
        "tests/test_cart.py": {"executed_lines": [1], "missing_lines": [], "contexts": {"1": ["0"]}},
    }
}


def test_lines_are_told_test_by_test() -> None:
    found = read_lines(json.dumps(WRITTEN), 3, [2])
    assert found is not None
    assert list(found.by_test) == [{"shop/cart.py": frozenset({4})}, {"shop/cart.py": frozenset({6})}, {}]
    assert found.others == {"shop/cart.py": {4}}
    assert found.statements == {"shop/cart.py": {1, 4, 6, 9}} and found.starts == {2}


@pytest.mark.parametrize("written", ["", "{}", "[]", '{"files": {"a.py": {}}}', '{"files": {"a.py": {"contexts": 3}}}'])
def test_what_cannot_be_read_is_not_measured(written: str) -> None:
    assert read_lines(written, 1) is None
