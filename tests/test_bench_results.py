"""`make bench` keeps what a part came to with its commit, and leaves out what it knows."""

from pathlib import Path

import pytest

from tests.bench import results
from tests.bench.rows import Row

ROWS = [Row(name="ready", ours=2.0, theirs=1.0, ratio=2.0, most=2.5, beside="the bare program")]


@pytest.mark.parametrize(
    ("kept", "asked", "known"), [("abc", "abc", True), ("abc", "def", False), ("abc+", "abc+", False)]
)
def test_a_result_is_good_for_its_own_commit(tmp_path: Path, kept: str, asked: str, known: bool) -> None:
    results.keep("ready", ROWS, 12.3, kept, tmp_path)
    assert results.find("ready", asked, tmp_path) == (ROWS if known else None)
    assert results.find("idle", asked, tmp_path) is None
