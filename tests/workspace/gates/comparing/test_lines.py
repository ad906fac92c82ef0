"""Complaints of a command on the work, without those that it had of the base."""

import pytest

from agents.workspace.gates.comparing.lines import new_lines


@pytest.mark.parametrize(
    ("before", "now", "new"),
    [
        ("a.py:3: odd", "a.py:9: odd", []),  # it only moved
        ("a.py:3: odd", "a.py:3: odd\na.py:9: odd", ["a.py:9: odd"]),  # there is one more of it
        ("a.py:3: odd", "b.py:3: odd", ["b.py:3: odd"]),
        ("Found 2 errors in 0.3s", "Found 9 errors in 12.5s", []),
        ("at 0x7f00aa", "at 0x7fbb01", []),
        ("", "", []),
    ],
)
def test_every_line_of_a_linter_counts(before: str, now: str, new: list[str]) -> None:
    assert new_lines(now, before, all_of_them=True) == new


def test_of_tests_only_complaints_count() -> None:
    before = "ok 1 - sums\nnot ok 2 - weather\n# fail 1\n"
    assert new_lines(before.replace("ok 1 - sums", "ok 1 - sums\nok 3 - more"), before, all_of_them=False) == []
    worse = before.replace("ok 1 - sums", "not ok 1 - sums")
    assert new_lines(worse, before, all_of_them=False) == ["not ok 1 - sums"]
    assert new_lines("--- FAIL: TestTotal (0.00s)", "--- FAIL: TestOld (0.00s)", all_of_them=False) == [
        "--- FAIL: TestTotal (0.00s)"
    ]


@pytest.mark.parametrize(
    ("line", "complains"),
    [
        ("test result: ok. 2 passed; 0 failed; 0 ignored; finished in 0.01s", False),
        ("# fail 0", False),
        ("2 passed, 0 failed, 0 skipped", False),
        ("test result: FAILED. 1 passed; 1 failed; 0 ignored", True),
        ("10 failed", True),
        ("error: 0 is no port", True),
    ],
)
def test_what_did_not_fail_is_no_complaint(line: str, complains: bool) -> None:
    assert bool(new_lines(line, "", all_of_them=False)) is complains
