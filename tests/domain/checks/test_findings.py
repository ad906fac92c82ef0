"""Of what a linter says only what is new counts, wherever it has moved to."""

from agents.domain.checks.findings import new_findings

BEFORE = "shop/cart.py:1:8: F401 `os` imported but unused\nFound 1 error.\n"


def test_what_moved_is_not_new_and_the_same_once_more_is() -> None:
    moved = BEFORE.replace(":1:8:", ":4:8:")
    assert new_findings(moved, BEFORE) == []
    twice = moved + "shop/cart.py:9:8: F401 `os` imported but unused\n"
    assert new_findings(twice, BEFORE) == ["shop/cart.py:9:8: F401 `os` imported but unused"]
    assert new_findings(BEFORE, "") == ["shop/cart.py:1:8: F401 `os` imported but unused"]
    assert new_findings("All checks passed!\n", BEFORE) == []
